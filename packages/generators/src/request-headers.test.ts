import type { RequestSpec, Target } from "@gatebench/core/contract";
import { requestHeaders, urlOf } from "./request-headers";

const request: RequestSpec = { method: "GET", path: "/a?b=c", headers: {}, expect: 200 };

test("every generator sends the headers that some generator cannot leave out", () => {
  expect(requestHeaders(request, { host: "gateway.example" })).toEqual({
    Host: "gateway.example",
    "User-Agent": "hey/0.0.1",
    "Content-Type": "text/plain",
  });
});

test("a request's own headers come first, in the one spelling all generators can send", () => {
  const headers = {
    "content-type": "application/json",
    "x-api-key": "<gatebench:consumer-1.key>",
    HOST: "api.example",
  };
  expect(requestHeaders({ ...request, headers }, { host: "gateway.example" })).toEqual({
    Host: "api.example",
    "User-Agent": "hey/0.0.1",
    "Content-Type": "application/json",
    "X-Api-Key": "<gatebench:consumer-1.key>",
  });
});

test.each([
  ["::1", "https://[::1]:8443/a?b=c"],
  ["127.0.0.1", "https://127.0.0.1:8443/a?b=c"],
  ["<gatebench:address.gateway>", "https://<gatebench:address.gateway>:8443/a?b=c"],
])("a request to %s has the address %s", (host, url) => {
  const target: Target = { scheme: "https", host, port: 8443, requests: [request], cpus: 1 };
  expect(urlOf(request, target)).toBe(url);
});
