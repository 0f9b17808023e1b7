export const image = { version: "1.30.4", charts: "https://istio-release.storage.googleapis.com/charts" };
