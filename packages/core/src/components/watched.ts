import { jobMatcher, type FigureOwner, type FigureSubject, type MetricsPage, type QueriedFigure } from "../contract";
import type { Host } from "../hosts/host";
import type { ScrapeJob } from "../observatory";

/** A page with metrics, on the host that serves it. */
export interface WatchedPage extends MetricsPage {
  readonly host: Host;
  readonly address: string;
}

/** What an observatory is told of a part of a benchmark: what it exposes, and where it stands. */
export interface Watched {
  /** As messages name it: "gateway envoy". */
  readonly name: string;
  readonly role: "gateway" | "upstream" | "generator";
  /** The label `job` of its series. */
  readonly job: string;
  readonly hosts: readonly Host[];
  readonly pages: readonly WatchedPage[];
}

/** Something that can be watched: a gateway under test, an upstream, a generator. */
export interface Watchable {
  readonly watched: Watched;
}

export function watchedAs(
  role: Watched["role"],
  name: string,
  hosts: readonly Host[],
  pages: readonly WatchedPage[],
): Watched {
  return { name: `${role} ${name}`, role, job: `${role}-${name}`, hosts: [...new Set(hosts)], pages };
}

/** The pages of one host. `address`: where they are not read at the host's own. */
export const pagesOn = (host: Host, pages: readonly MetricsPage[] = [], address?: string): readonly WatchedPage[] =>
  pages.map((page) => ({ ...page, host, address: address ?? host.addressFor(page.port) }));

/** A figure that can be asked for, with the scrape jobs it is known to be about where no placeholder says so. */
export interface Available {
  readonly figure: QueriedFigure;
  readonly whose: FigureOwner;
  readonly by: string;
  readonly jobs: readonly string[];
}

export const figuresOf = ({ name, role, pages }: Watched): readonly Available[] =>
  pages.flatMap(({ figures = [] }) =>
    figures.map((figure) => ({ figure, whose: role === "gateway" ? "adapter" : "service", by: name, jobs: [] })),
  );

export function scrapeJob({ job, role, pages }: Watched): ScrapeJob {
  const targets = pages.map(({ host, port, path }) => ({
    host: host.name,
    address: host.addressFor(port),
    port,
    path,
  }));
  return { job, role, targets };
}

/** One machine may be several hosts, such as those of a generator's workers; it is looked at once. */
export function machinesOf(watched: readonly Watched[], besides: readonly Host[]): readonly Host[] {
  const hosts = [...watched.flatMap((one) => one.hosts), ...besides];
  return hosts.filter(({ address }, index) => hosts.findIndex((host) => host.address === address) === index);
}

/** Scrape jobs by the placeholder that stands for them. */
export type Subjects = Readonly<Record<FigureSubject, readonly string[]>>;

/** Label matchers by placeholder; none for what exposes nothing. */
export const matchersOf = (subjects: Subjects): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(subjects).flatMap(([subject, jobs]) => (jobs.length === 0 ? [] : [[subject, jobMatcher(jobs)]])),
  );
