import type {
  Finding,
  HttpObservation,
  HttpResponse,
  KnownBody,
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
  requestProbes(scenario, {
    ...{ name: answer, requests: sampled(scenario, target) },
    ...hashed(target.payload),
  });

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
  probes: (scenario, { echo, ...target }) =>
    echo === undefined
      ? []
      : requestProbes(scenario, {
          ...{ name: "echo", requests: [echoRequest(target, echo.path)] },
          ...hashed(echo.answer),
        }),
  check: (observations, scenario, { echo }) => {
    if (echo === undefined) return untested("the upstream has no path that answers with the body it was sent");
    return echoFinding(observed(observations, "http", "echo"), echo.answer ?? echoed, scenario);
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

const hashed = (known: KnownBody | undefined) => ({ bodies: true, without: known?.without });

const isSame = ({ bodySha256, bodyBytes }: HttpResponse, { sha256, bytes = bodyBytes }: KnownBody) =>
  bodySha256 === sha256 && bodyBytes === bytes;

function bodyFinding(responses: readonly HttpResponse[], sent: KnownBody): Finding {
  if (responses.length === 0) return untested("no answer had the expected status");
  const changed = responses.filter((response) => !isSame(response, sent));
  if (changed[0] === undefined) return held;
  const of = `${changed.length} of ${counted(responses.length, "answer")}`;
  const lengths = `${changed[0].bodyBytes} bytes where the upstream sent ${sent.bytes ?? "others"}`;
  return breaks(`${of} had another body: ${lengths}`);
}

function echoFinding(
  { responses: [response], error }: HttpObservation,
  expected: KnownBody,
  scenario: ResolvedScenario,
): Finding {
  if (response === undefined) return breaks(error ?? "there was no answer");
  if (refusedByLimit(scenario, response)) return untested("the rate limit refused the request");
  if (response.status !== 200) return breaks(`a POST was answered with ${response.status}`);
  if (isSame(response, expected)) return held;
  const length = expected.bytes === undefined ? "" : ` of ${response.bodyBytes} bytes`;
  return breaks(`of a body of ${echoed.bytes} bytes the upstream saw another one${length}`);
}

function echoRequest(target: LiveTarget, path: string): RequestSpec {
  return { method: "POST", path, headers: firstRequest(target).headers, body: echoed.body, expect: 200 };
}
