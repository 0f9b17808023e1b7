/** Locust's official image. */
export const image = {
  version: "2.47.0",
  of: (version: string) => `locustio/locust:${version}`,
};
