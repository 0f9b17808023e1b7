import { withToken, type LiveLaw, type LiveTarget, type RefusedToken, type RequestSpec } from "../../contract";
import { refusal } from "./credential-laws";
import { untested } from "./finding";
import { firstRequest, requestProbes } from "./requests";

const asksAuthorizer: LiveLaw["appliesTo"] = ({ auth }) => auth === "external";

export const refusesExpiredToken = refusing("expiredJwt", "an expired token", [401, 403]);

/** A token that is valid but for its place on the blacklist: who sends it is known, and may not. */
export const refusesBlacklistedToken = refusing("blacklistedJwt", "a token on the blacklist", [403]);

function refusing(token: RefusedToken, what: string, statuses: readonly number[]): LiveLaw {
  const name = token === "expiredJwt" ? "expired-token" : "blacklisted-token";
  return {
    name: `refuses ${what}`,
    appliesTo: asksAuthorizer,
    probes: (scenario, target) => requestProbes(scenario, { name, requests: [carrying(token, target)] }),
    check: (observations, _, target) =>
      carriesToken(target)
        ? refusal(observations, name, what, statuses)
        : untested("the requests carry no token of a consumer in a header"),
  };
}

function carrying(token: RefusedToken, target: LiveTarget): RequestSpec {
  const { headers, ...request } = firstRequest(target);
  const entries = Object.entries(headers).map(([name, value]) => [name, withToken(value, token)] as const);
  return { ...request, headers: Object.fromEntries(entries) };
}

const carriesToken = (target: LiveTarget): boolean =>
  Object.values(firstRequest(target).headers).some((value) => withToken(value, "expiredJwt") !== value);
