export const image = { version: "5.5.4", chart: "2.6.4", charts: "oci://ghcr.io/nginx/charts" };
