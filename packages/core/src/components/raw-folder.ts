import { join } from "node:path";
import type { Run } from "../contract";

/** Where a run's raw output lies in a results folder. */
export const rawFolder = (benchmark: string, { target, id, order }: Pick<Run, "target" | "id" | "order">): string =>
  join("raw", benchmark, target, `${String(order).padStart(3, "0")}-${id}`);
