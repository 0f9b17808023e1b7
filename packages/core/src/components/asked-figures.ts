import { figureSubjects, placeholdersIn, withPlaceholders, type FigureSubject } from "../contract";
import type { Host } from "../hosts/host";
import type { AskedFigure } from "../hosts/job-record";
import { matchersOf, type Available, type Subjects, type Watched } from "./watched";

/** The parts of one run. */
export type Parts = Readonly<Record<Exclude<Watched["role"], "authorizer">, Watched>> & {
  /** Where the gateway asks one. */
  readonly authorizer?: Watched;
};

/** Figures with whose series they are about put in; what cannot be asked of this run says why. */
export function askedFigures(
  figures: readonly Available[],
  parts: Parts,
  jobOfMachine: (host: Host) => string,
): readonly AskedFigure[] {
  const subjects = subjectsOf(parts, jobOfMachine);
  const matchers = matchersOf(subjects);
  return figures.map(({ figure, jobs }) => {
    const about = placeholdersIn(figure.query).filter(isSubject);
    const nobody = about.find((subject) => subjects[subject].length === 0);
    return {
      figure: { ...figure, query: withPlaceholders(figure.query, matchers) },
      jobs: [...new Set([...jobs, ...about.flatMap((subject) => subjects[subject])])],
      ...(nobody ? { missing: `${nameIn(parts, nobody as Watched["role"])} exposes nothing to Prometheus` } : {}),
    };
  });
}

const nameIn = (parts: Parts, role: Watched["role"]): string => parts[role]?.name ?? `no ${role} takes part, and none`;

const isSubject = (name: string): name is FigureSubject => (figureSubjects as readonly string[]).includes(name);

function subjectsOf(
  { gateway, upstream, generator, authorizer }: Parts,
  jobOfMachine: (host: Host) => string,
): Subjects {
  const own = ({ job, pages }: Watched) => (pages.length > 0 ? [job] : []);
  const machines = ({ hosts }: Watched) => [...new Set(hosts.map(jobOfMachine))];
  return {
    ...{ gateway: own(gateway), upstream: own(upstream), generator: own(generator) },
    authorizer: authorizer ? own(authorizer) : [],
    ...{ gatewayHost: machines(gateway), upstreamHost: machines(upstream), generatorHost: machines(generator) },
  };
}
