export const redisImage = { version: "7.4.7", of: (version: string) => `redis:${version}` };
