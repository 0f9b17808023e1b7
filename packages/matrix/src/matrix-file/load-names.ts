import type { ClosedLoad, Load, OpenLoad, UsersLoad } from "@gatebench/core";

/** Short names: c32, c50x1500, r2000, u200, u50x100; with more behind it only where two would be alike. */
export function loadNames(loads: readonly Load[]): readonly string[] {
  const short = loads.map(shortName);
  return loads.map((load, at) => {
    const alike = loads.filter((_, other) => short[other] === short[at]);
    const differing = Object.entries(detailsOf(load)).filter(([word, value]) =>
      alike.some((other) => detailsOf(other)[word] !== value),
    );
    return [short[at], ...differing.map(([, value]) => value).filter((value) => value !== "")].join("-");
  });
}

function shortName(load: Load): string {
  if (load.model === "closed")
    return `c${load.connections}${load.pacePerConnection ? `x${load.pacePerConnection}` : ""}`;
  if (load.model === "open") return `r${load.ratePerS}`;
  return load.model === "users" ? `u${load.users}` : `u${load.users}x${load.perUser}`;
}

/** What else may make two loads different, as it stands in a name; nothing where it is left to the generator. */
function detailsOf(load: Load): Readonly<Record<string, string>> {
  const { duration, threads, maxInFlight, spawnPerS, startWithin, think, spread } = load as Partial<Words>;
  const written = (letters: string, value: string | number | undefined) =>
    value === undefined ? "" : `${letters}${value}`;
  return {
    duration: written("", duration),
    threads: written("t", threads),
    maxInFlight: written("m", maxInFlight),
    spawnPerS: written("spawn", spawnPerS),
    startWithin: written("within", startWithin),
    think: think ? `think${[...new Set([think.min, think.max])].join("-")}` : "",
    spread: written("", spread),
  };
}

type Words = Omit<ClosedLoad, "model"> & Omit<OpenLoad, "model"> & Omit<UsersLoad, "model">;
