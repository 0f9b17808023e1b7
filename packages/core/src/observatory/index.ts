export { dashboards, type Dashboard, type Panel, type Shown } from "./dashboard";
export { grafana, grafanaPassword, grafanaUser } from "./grafana";
export { hostFigures } from "./host-figures";
export { nodeExporter } from "./node-exporter";
export { prometheus } from "./prometheus";
export { prometheusConfig, type ScrapeJob, type ScrapeRole, type ScrapeTarget } from "./scrape-job";
