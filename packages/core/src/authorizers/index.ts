export { blacklistRedis } from "./blacklist-redis";
export { extAuthz, type ExtAuthzOptions } from "./ext-authz";
export { figures as extAuthzFigures } from "./figures";
