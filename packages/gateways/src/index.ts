import type { GatewayAdapter } from "@gatebench/core/contract";
import * as adapters from "./all";

export * from "./all";
export * from "./container";

/** Makes a gateway adapter. Options, where it has any, are all optional: without them it is the gateway of the comparison. */
export type GatewayFactory = (options?: object) => GatewayAdapter;

/** Every gateway by the name that scenarios, stacks and matrices call it. */
export const gateways: Readonly<Record<string, GatewayFactory>> = Object.fromEntries(
  Object.values(adapters).map((factory) => [factory().name, factory]),
);
