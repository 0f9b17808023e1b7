import { drawingSite, resolveScenario, type Scenario } from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { direct } from "./direct";

for (const law of gatewayLaws) test(law.name, () => law.check(direct()));

function entryFor(scenario: Scenario, securePort?: number) {
  const asked = resolveScenario(scenario);
  const site = drawingSite(direct(), asked);
  const upstreams = [{ host: "10.0.0.1", port: 9001, ...(securePort === undefined ? {} : { securePort }) }];
  return direct().render(asked, { ...site, upstreams }).entry;
}

test("http enters at the upstream's port, https at its secure one", () => {
  expect(entryFor({ name: "plain" }, 9002)).toEqual({ scheme: "http", host: "10.0.0.1", port: 9001 });
  expect(entryFor({ name: "plain", scheme: "https" }, 9002)).toEqual({ scheme: "https", host: "10.0.0.1", port: 9002 });
});

test("an upstream without TLS is no baseline for https", () => {
  expect(() => entryFor({ name: "plain", scheme: "https" })).toThrow(
    "unsupported-policy: direct cannot be reached over https, because the upstream has no port with TLS. Choose an upstream that has one, such as static-payload, or the scheme http.",
  );
});
