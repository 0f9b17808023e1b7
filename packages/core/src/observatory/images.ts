export const prometheusImage = "prom/prometheus:v3.14.0";
export const nodeExporterImage = "prom/node-exporter:v1.12.1";
export const grafanaImage = "grafana/grafana:12.3.1";
