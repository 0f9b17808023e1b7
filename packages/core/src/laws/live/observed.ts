import type { Observation, Observations } from "../../contract";

type Kind = Observation["kind"];

/** What a probe found. A law reads its own probes only, so a missing one is a mistake in the law. */
export function observed<K extends Kind>(
  observations: Observations,
  kind: K,
  name: string,
): Extract<Observation, { readonly kind: K }> {
  const found = observations[name];
  if (found?.kind !== kind) throw new Error(`no ${kind} observation is named ${name}`);
  return found as Extract<Observation, { readonly kind: K }>;
}
