import type { Values } from "../../contract";
import type { JobOrder } from "../job-record";

/** Everything one job needs while it is carried out. */
export interface Supervision {
  readonly place: string;
  readonly folder: string;
  readonly order: JobOrder;
  readonly values: Values;
  readonly mask: (text: string) => string;
}
