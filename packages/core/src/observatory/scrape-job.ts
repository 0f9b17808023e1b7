import { stringify } from "yaml";

/** What stands behind a scrape job. */
export type ScrapeRole = "gateway" | "upstream" | "generator" | "authorizer" | "host" | "observer";

/** One page to scrape. */
export interface ScrapeTarget {
  /** As results name the machine. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly path: string;
}

/** What is scraped as one thing: its series have its name in the label `job`. */
export interface ScrapeJob {
  readonly job: string;
  readonly role: ScrapeRole;
  readonly targets: readonly ScrapeTarget[];
}

/** Prometheus' configuration for these jobs: nobody writes it by hand. */
export function prometheusConfig(intervalS: number, jobs: readonly ScrapeJob[]): string {
  const interval = `${Math.round(intervalS * 1000)}ms`;
  return stringify(
    {
      // A scrape that takes longer than until the next is one that was not answered.
      global: { scrape_interval: interval, scrape_timeout: interval },
      scrape_configs: jobs.map(scrapeConfig),
    },
    { lineWidth: 0 },
  );
}

const scrapeConfig = ({ job, role, targets }: ScrapeJob) => ({
  job_name: job,
  static_configs: targets.map(({ host, address, port, path }) => ({
    targets: [`${address}:${port}`],
    // A label of this name is a setting: jobs have pages of several paths.
    labels: { role, host, __metrics_path__: path },
  })),
});
