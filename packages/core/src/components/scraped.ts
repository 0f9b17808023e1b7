import { fault, figureFaults, listed, unknownFigures, type Fault, type QueriedFigure } from "../contract";
import type { Host } from "../hosts/host";
import type { AskedFigure } from "../hosts/job-record";
import { hostFigures, type Shown } from "../observatory";
import { askedFigures, type Parts } from "./asked-figures";
import { figuresOf, type Available, type Watched } from "./watched";

/** Everything an observatory looks at, and what is wanted of it. */
export interface Scraped {
  readonly watched: readonly Watched[];
  /** Each once, whoever stands on it. */
  readonly machines: readonly Host[];
  /** Names of declared figures. Undefined: all. */
  readonly chosen: readonly string[] | undefined;
  /** The user's own. */
  readonly queries: readonly QueriedFigure[];
}

/** The scrape job of a machine's node exporter. */
export const machineJob = ({ name }: Host): string => `host-${name}`;

/** What is wrong with figures, before anything is started. */
export function figureFaultsOf({ watched, machines, chosen = [], queries }: Scraped): readonly Fault[] {
  const declared = [...watched.flatMap(figuresOf), ...machines.flatMap(figuresOfMachine)];
  return [...figureFaults([...declared, ...queries.map(ofUser)]), ...unknownFigures(chosen, declared)];
}

/** What takes part in a run and is not looked at, one line each. */
export function unwatchedFaults({ watched }: Scraped, taking: readonly Watched[]): readonly Fault[] {
  const known = listed(watched.map(({ name }) => name));
  return [...new Set(taking)]
    .filter((one) => !watched.includes(one))
    .map(({ name }) =>
      fault(
        "invalid-option",
        `the benchmark loads ${name}, which its observatory does not watch. It watches: ${known}. Add it there.`,
      ),
    );
}

/** The figures of a run of these parts. */
export function figuresAsked({ machines, chosen, queries }: Scraped, parts: Parts): readonly AskedFigure[] {
  const declared = [...Object.values(parts).flatMap(figuresOf), ...machines.flatMap(figuresOfMachine)];
  const wanted = declared.filter(({ figure }) => chosen?.includes(figure.name) ?? true);
  const jobOfHost = ({ address }: Host) => machineJob(machines.find((one) => one.address === address) as Host);
  return askedFigures([...wanted, ...queries.map(ofUser)], parts, jobOfHost);
}

/** What has a dashboard. */
export function shownOf({ watched }: Scraped): readonly Shown[] {
  return [...new Set(watched.map(({ role }) => role))].map((role) => {
    const parts = watched.filter((one) => one.role === role);
    const pages = parts.flatMap((one) => one.pages);
    const hosts = parts.flatMap((one) => one.hosts.map(({ name }) => name));
    const figures = pages.flatMap((page) => page.figures ?? []);
    return { role, hosts: [...new Set(hosts)], figures, isScraped: pages.length > 0 };
  });
}

function figuresOfMachine(machine: Host): readonly Available[] {
  const job = machineJob(machine);
  const figures = hostFigures(machine.name, job);
  return figures.map((figure) => ({ figure, whose: "service", by: `host ${machine.name}`, jobs: [job] }));
}

const ofUser = (figure: QueriedFigure): Available => ({ figure, whose: "user", by: "the user", jobs: [] });
