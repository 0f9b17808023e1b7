import { reference, type Reference } from "./reference";

/** What tokens are signed with and an authorizer checks them by (HMAC-SHA256). Every consumer's `jwt` is. */
export const authorizerSecret: Reference = reference("authorizer.secret");

/** What guards the store of an authorizer's blacklist. */
export const authorizerPassword: Reference = reference("authorizer.password");

/** The id (jti) of every token that an authorizer has on its blacklist from the start, so that a refusal can be seen. */
export const blacklistedId = "gatebench-blacklisted";

/** What our authorizer starts on a host without containers. */
export const authorizerPrograms = ["gatebench-ext-authz", "redis-server"] as const;

/** Tokens beside a consumer's `jwt`, signed by the same key, that an authorizer must refuse. */
export const refusedTokens = ["expiredJwt", "blacklistedJwt"] as const;
export type RefusedToken = (typeof refusedTokens)[number];

const valid = /<gatebench:([^<>\s]+)\.jwt>/g;

/** The same text with another token of the same consumer. */
export const withToken = (text: string, token: RefusedToken): string =>
  text.replace(valid, (_, consumer: string) => reference(`${consumer}.${token}`));
