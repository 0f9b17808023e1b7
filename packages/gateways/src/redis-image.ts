export const redisImage = { version: "7.4.5", of: (version: string) => `redis:${version}` };
