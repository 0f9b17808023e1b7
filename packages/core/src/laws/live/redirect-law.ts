import {
  isReference,
  type Finding,
  type HttpResponse,
  type LiveLaw,
  type LiveTarget,
  type RequestSpec,
} from "../../contract";
import { breaks, held, untested } from "./finding";
import { observed } from "./observed";
import { firstRequest, requestProbes } from "./requests";

const redirect = "redirect";
const redirections = [301, 302, 307, 308];

/** A redirect that leads elsewhere would be measured by whoever follows it, and by nobody noticed. */
export const redirectsHttp: LiveLaw = {
  name: "redirects HTTP to https",
  appliesTo: (scenario) => scenario.redirectHttp,
  probes: (scenario, target) =>
    target.direct || target.redirectPort === undefined
      ? []
      : requestProbes(scenario, {
          ...{ name: redirect, requests: [plainRequest(target)], headers: ["location"] },
          plainPort: target.redirectPort,
        }),
  check: (observations, _, target) => {
    if (target.direct) return untested("no gateway stands before the upstream");
    if (target.redirectPort === undefined) return breaks("no port of it answers plain HTTP");
    const { responses, error } = observed(observations, "http", redirect);
    const [answer] = responses;
    return answer ? redirectFinding(answer, target) : breaks(error ?? "there was no answer over plain HTTP");
  },
};

/** Without a credential: it is no business of plain HTTP. */
const plainRequest = (target: LiveTarget): RequestSpec => ({
  method: "GET",
  path: firstRequest(target).path,
  headers: {},
  expect: 301,
});

function redirectFinding({ status, headers }: HttpResponse, target: LiveTarget): Finding {
  if (!redirections.includes(status)) return breaks(`plain HTTP was answered with ${status}, which is no redirect`);
  const { location = "nowhere" } = headers;
  return leadsToEntry(location, target) ? held : breaks(`plain HTTP is redirected to ${location}, not to the entry`);
}

/** Headers are reported in small letters. */
function leadsToEntry(location: string, target: LiveTarget): boolean {
  const place = `:${target.port}${firstRequest(target).path}`.toLowerCase();
  if (isReference(target.host)) return location.startsWith("https://") && location.endsWith(place);
  return location === `https://${target.host.toLowerCase()}${place}`;
}
