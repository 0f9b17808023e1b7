import type {
  Finding,
  HttpObservation,
  HttpResponse,
  LiveLaw,
  LiveTarget,
  RequestSpec,
  ResolvedScenario,
} from "../../contract";
import { echoed } from "./echoed";
import { breaks, counted, held, untested } from "./finding";
import { observed } from "./observed";
import { firstRequest, requestProbes, sample } from "./requests";
import { refusedByLimit, tightLimit } from "./tight-limit";

/** Routes and consumers that are tried; a thousand would take longer than the measurement. */
const mostRequests = 8;

const answer = "answer";

const sampled = (scenario: ResolvedScenario, { requests }: LiveTarget) =>
  sample(requests, tightLimit(scenario) ? 1 : mostRequests);

const answerProbes: LiveLaw["probes"] = (scenario, target) =>
  requestProbes(scenario, { name: answer, requests: sampled(scenario, target), bodies: true });

export const answersAsExpected: LiveLaw = {
  name: "answers with the expected status",
  appliesTo: () => true,
  probes: answerProbes,
  check: (observations, scenario, target) =>
    statusFinding(observed(observations, "http", answer), sampled(scenario, target), scenario),
};

export const leavesAnswersUnchanged: LiveLaw = {
  name: "leaves the upstream's answer unchanged",
  appliesTo: () => true,
  probes: answerProbes,
  check: (observations, scenario, { payload, ...target }) => {
    if (payload === undefined) return untested("nothing says what the upstream answers");
    const asked = sampled(scenario, target);
    const { responses } = observed(observations, "http", answer);
    return bodyFinding(expectedOnes(responses, asked), payload);
  },
};

export const leavesRequestsUnchanged: LiveLaw = {
  name: "leaves a request's body unchanged",
  appliesTo: () => true,
  probes: (scenario, target) =>
    target.echoPath === undefined
      ? []
      : requestProbes(scenario, { name: "echo", requests: [echoRequest(target, target.echoPath)], bodies: true }),
  check: (observations, scenario, { echoPath }) => {
    if (echoPath === undefined) return untested("the upstream has no path that answers with the body it was sent");
    return echoFinding(observed(observations, "http", "echo"), scenario);
  },
};

function statusFinding(
  { responses, error }: HttpObservation,
  asked: readonly RequestSpec[],
  scenario: ResolvedScenario,
): Finding {
  const wrong = responses.findIndex(({ status }, index) => status !== asked[index]?.expect);
  const response = responses[wrong];
  if (response === undefined) return error === undefined ? held : breaks(error);
  if (refusedByLimit(scenario, response)) return untested("the rate limit refused the request");
  const { method, path, expect } = asked[wrong] as RequestSpec;
  return breaks(`${method} ${path} was answered with ${response.status} where ${expect} was expected`);
}

const expectedOnes = (responses: readonly HttpResponse[], asked: readonly RequestSpec[]) =>
  responses.filter(({ status }, index) => status === asked[index]?.expect);

type Body = NonNullable<LiveTarget["payload"]>;

function bodyFinding(responses: readonly HttpResponse[], sent: Body): Finding {
  if (responses.length === 0) return untested("no answer had the expected status");
  const changed = responses.filter(({ bodySha256 }) => bodySha256 !== sent.sha256);
  if (changed[0] === undefined) return held;
  const of = `${changed.length} of ${counted(responses.length, "answer")}`;
  return breaks(`${of} had another body: ${changed[0].bodyBytes} bytes where the upstream sent ${sent.bytes}`);
}

function echoFinding({ responses: [response], error }: HttpObservation, scenario: ResolvedScenario): Finding {
  if (response === undefined) return breaks(error ?? "there was no answer");
  if (refusedByLimit(scenario, response)) return untested("the rate limit refused the request");
  if (response.status !== 200) return breaks(`a POST was answered with ${response.status}`);
  if (response.bodySha256 === echoed.sha256) return held;
  return breaks(`of a body of ${echoed.bytes} bytes the upstream saw another one of ${response.bodyBytes} bytes`);
}

function echoRequest(target: LiveTarget, path: string): RequestSpec {
  const { headers } = firstRequest(target);
  return { method: "POST", path, headers, body: echoed.body, expect: 200 };
}
