import { checkScenario } from "./benchmark-plan";
import { lineOf } from "./fault";

const linesFor = (scenario: object) => checkScenario({ name: "login", ...scenario }).map(lineOf);
const limit = { requests: 10, per: "1s", store: "local" };

test("auth without a consumer is a contradiction", () => {
  expect(linesFor({ auth: "key", consumers: 0 })).toEqual([
    'invalid-scenario: scenario "login" asks for key auth and has no consumers. Give it one, or drop auth.',
  ]);
  expect(linesFor({ auth: "key" })).toEqual([]);
});

test("basic credentials do not travel in cookies", () => {
  expect(linesFor({ auth: "basic", credential: "cookie" })).toEqual([
    'invalid-scenario: scenario "login" puts basic credentials in a cookie; they only travel in a header. Drop credential, or use key.',
  ]);
});

test("consumers whom nobody knows cannot be limited", () => {
  expect(linesFor({ rateLimit: { ...limit, scope: "consumer" } })).toEqual([
    'invalid-scenario: scenario "login" limits each consumer, and without auth nobody knows them. Give it auth, or another scope.',
  ]);
  expect(linesFor({ auth: "key", rateLimit: { ...limit, scope: "consumer" } })).toEqual([]);
});

test("only https can be redirected to", () => {
  expect(linesFor({ redirectHttp: true })).toEqual([
    'invalid-scenario: scenario "login" redirects HTTP to https and is served over http. Give it the scheme https, or drop redirectHttp.',
  ]);
  expect(linesFor({ redirectHttp: true, scheme: "https" })).toEqual([]);
});
