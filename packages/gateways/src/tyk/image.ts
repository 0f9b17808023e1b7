export const image = { version: "5.13.1", of: (version: string) => `tykio/tyk-gateway:v${version}` };
export const redisImage = { version: "7.4.7", of: (version: string) => `redis:${version}` };
