import { figureSubjects, withPlaceholders, type FigureSubject, type QueriedFigure } from "../contract";
import { notBusy } from "./host-figures";
import type { ScrapeRole } from "./scrape-job";

/** A chart: one line for each series of its query. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  /** PromQL with Grafana's own variables. */
  readonly query: string;
  /** What a line is called: labels in double braces. */
  readonly legend: string;
}

export interface Dashboard {
  /** Kebab-case; names its file and its address. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Parts of a benchmark that have a dashboard, and the machines they stand on. */
export interface Shown {
  readonly role: Exclude<ScrapeRole, "host" | "observer">;
  readonly hosts: readonly string[];
  readonly figures: readonly QueriedFigure[];
  /** Whether any of them is scraped itself, not its machine alone. */
  readonly isScraped: boolean;
}

/** Grafana puts in what holds four scrapes at least. */
const range = "[$__rate_interval]";

/** One for each role and one for the machines, made of what was declared: a panel without data would be of nobody's. */
export function dashboards(shown: readonly Shown[]): readonly Dashboard[] {
  return [...shown.map(ofRole), { name: "hosts", title: "gatebench: hosts", panels: hostPanels }];
}

function ofRole({ role, hosts, figures, isScraped }: Shown): Dashboard {
  return {
    name: role,
    title: `gatebench: ${role}`,
    panels: [
      ...distinct(figures.map(panelOf)),
      cpuPanel(`CPU of its hosts`, `host=~"${hosts.join("|")}"`),
      ...(isScraped ? scrapePanels(role) : []),
    ],
  };
}

/** Two figures of one query, such as a count and its rate, are one chart. */
const distinct = (panels: readonly Panel[]): readonly Panel[] => [
  ...new Map(panels.map((panel) => [panel.query, panel])).values(),
];

function panelOf(figure: QueriedFigure): Panel {
  const own = withPlaceholders(figure.query, { ...everyone, window: "$__rate_interval" });
  const common = { title: figure.name, legend: "{{job}}" };
  if (figure.kind === "gauge") return { ...common, unit: figure.unit, query: own };
  const rate = `rate(${own}${range})`;
  if (figure.kind === "counter")
    return { ...common, unit: figure.perSecond ? figure.unit : `${figure.unit}/s`, query: `sum by (job) (${rate})` };
  return { ...common, unit: figure.unit, query: `histogram_quantile(${figure.quantile}, sum by (job, le) (${rate}))` };
}

/** A chart shows all of a role side by side, where a figure is of one. */
const everyone: Readonly<Record<FigureSubject, string>> = Object.fromEntries(
  figureSubjects.map((subject) => [subject, `role="${subject.endsWith("Host") ? "host" : subject}"`]),
) as Readonly<Record<FigureSubject, string>>;

const scrapePanels = (role: ScrapeRole): readonly Panel[] => [
  { title: "Answers scrapes", unit: "", query: `up{role="${role}"}`, legend: "{{job}} {{instance}}" },
  {
    title: "Time a scrape takes",
    unit: "s",
    query: `scrape_duration_seconds{role="${role}"}`,
    legend: "{{job}} {{instance}}",
  },
];

const cpuPanel = (title: string, of: string): Panel => ({
  title,
  unit: "cores",
  query: `sum by (host) (rate(node_cpu_seconds_total{${of},mode!~"${notBusy}"}${range}))`,
  legend: "{{host}}",
});

const hostPanels: readonly Panel[] = [
  cpuPanel("CPU", 'role="host"'),
  {
    title: "Busiest CPU",
    unit: "cores",
    query: `max by (host) (sum by (host, cpu) (rate(node_cpu_seconds_total{mode!~"${notBusy}"}${range})))`,
    legend: "{{host}}",
  },
  {
    title: "CPU by mode",
    unit: "cores",
    query: `sum by (host, mode) (rate(node_cpu_seconds_total{mode!="idle"}${range}))`,
    legend: "{{host}} {{mode}}",
  },
  {
    title: "Memory used",
    unit: "bytes",
    query: "node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes",
    legend: "{{host}}",
  },
  {
    title: "Network received",
    unit: "bytes/s",
    query: `sum by (host) (rate(node_network_receive_bytes_total${range}))`,
    legend: "{{host}}",
  },
  {
    title: "Network sent",
    unit: "bytes/s",
    query: `sum by (host) (rate(node_network_transmit_bytes_total${range}))`,
    legend: "{{host}}",
  },
  {
    title: "TCP segments sent again",
    unit: "segments/s",
    query: `rate(node_netstat_Tcp_RetransSegs${range})`,
    legend: "{{host}}",
  },
  {
    title: "Switches between tasks",
    unit: "switches/s",
    query: `rate(node_context_switches_total${range})`,
    legend: "{{host}}",
  },
];
