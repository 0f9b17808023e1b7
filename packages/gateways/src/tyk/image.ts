export const image = { version: "5.13.1", of: (version: string) => `tykio/tyk-gateway:v${version}` };
