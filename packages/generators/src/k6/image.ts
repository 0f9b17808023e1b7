/** Grafana's own image. */
export const image = {
  version: "1.8.1",
  of: (version: string) => `grafana/k6:${version}`,
};
