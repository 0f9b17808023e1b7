import { referencesIn, type Finding, type LiveLaw, type LiveTarget, type RequestSpec } from "../../contract";
import { breaks, held, untested } from "./finding";
import { observed } from "./observed";
import { firstRequest, requestProbes } from "./requests";

type Headers = RequestSpec["headers"];

export const refusesWrongCredential: LiveLaw = {
  name: "refuses a wrong credential",
  appliesTo: ({ auth }) => auth !== undefined,
  probes: (scenario, target) => requestProbes(scenario, { name: "wrong-credential", requests: [withWrong(target)] }),
  check: (observations, _, target) =>
    carriesCredential(target)
      ? refusal(observations, "wrong-credential", "a wrong credential")
      : untested("the requests carry no credential in a header"),
};

export const refusesMissingCredential: LiveLaw = {
  name: "refuses a missing credential",
  appliesTo: ({ auth }) => auth !== undefined,
  probes: (scenario, target) => requestProbes(scenario, { name: "no-credential", requests: [withoutAny(target)] }),
  // An authorizer that cannot be asked refuses as well, with 403: only 401 says that somebody has looked for a token.
  check: (observations, { auth }) =>
    refusal(observations, "no-credential", "no credential", auth === "external" ? [401] : refused),
};

const refused = [401, 403];

/** Whether a probe's one request was refused, for want of a right credential. */
export function refusal(
  observations: Parameters<LiveLaw["check"]>[0],
  probe: string,
  credential: string,
  expected: readonly number[] = refused,
): Finding {
  const { responses, error } = observed(observations, "http", probe);
  const [response] = responses;
  if (response === undefined) return breaks(error ?? "there was no answer");
  if (expected.includes(response.status)) return held;
  if (response.status === 429) return untested("the rate limit refused the request");
  return breaks(
    `a request with ${credential} was answered with ${response.status} where ${expected.join(" or ")} was expected`,
  );
}

const credential = /<gatebench:[^<>\s]+\.(key|password|basicCredentials|jwt)>/g;

/** One that nobody has, in the same form. A token stays right but for its signature, so that skipping the check shows. */
const wrongOnes: Readonly<Record<string, (right: string) => string>> = {
  key: () => "wrong-key-0000000000000000000000",
  password: () => "wrong-password",
  basicCredentials: () => "bm9ib2R5Ondyb25n", // nobody:wrong
  jwt: (right) => `${right}A`,
};

const wrong = (value: string) => value.replace(credential, (right, part: string) => wrongOnes[part]?.(right) ?? right);

const holdsCredential = (value: string) => wrong(value) !== value && referencesIn(value).length > 0;

const carriesCredential = (target: LiveTarget) => Object.values(firstRequest(target).headers).some(holdsCredential);

function withWrong(target: LiveTarget): RequestSpec {
  return withHeaders(firstRequest(target), (headers) => headers.map(([name, value]) => [name, wrong(value)]));
}

function withoutAny(target: LiveTarget): RequestSpec {
  return withHeaders(firstRequest(target), (headers) => headers.filter(([, value]) => !holdsCredential(value)));
}

type Entries = readonly (readonly [string, string])[];

function withHeaders(request: RequestSpec, change: (headers: Entries) => Entries): RequestSpec {
  const headers: Headers = Object.fromEntries(change(Object.entries(request.headers)));
  return { ...request, headers };
}
