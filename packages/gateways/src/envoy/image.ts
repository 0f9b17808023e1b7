export const image = { version: "1.40.0", of: (version: string) => `envoyproxy/envoy:v${version}` };
