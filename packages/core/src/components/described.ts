import { FaultError } from "../contract";
import { refusalOf } from "../hosts/refuse-faults";

/**
 * What the engine stores of a component's arguments: names, versions, the scenario. Never adapters, hosts or
 * credentials – arguments are written to the state as they are, functions are dropped from them, and cycles hang.
 */
export type Described = Readonly<Record<string, unknown>>;

/** The value, or the faults it throws as one line each. */
export function faultsShown<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof FaultError) throw refusalOf(error.faults);
    throw error;
  }
}
