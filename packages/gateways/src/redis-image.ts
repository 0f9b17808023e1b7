/** 7.4 is what both Tyk and Kong are tested with; nothing later than 8.4 is, by Tyk. */
export const redisImage = { version: "7.4.7", of: (version: string) => `redis:${version}` };
