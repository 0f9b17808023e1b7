/**
 * One gateway against one scenario on this machine, beside the path without it.
 *
 *   npm install && eval "$(npm run -s gatebench:env)" && cd stacks/local
 *   pulumi stack select --create tls-transactions && pulumi up
 *
 * The stack files beside this one are presets; each key is documented in settings.ts.
 */
import type * as pulumi from "@pulumi/pulumi";
import { staticPayload } from "@gatebench/core/upstreams";
import { Benchmark, GatewayUnderTest, LoadGenerator, UpstreamHost, plainScenario } from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { direct } from "@gatebench/gateways";
import { planned } from "./plan";

export = async () => {
  const { gateway, generator, scenario, load, protocol, settings } = await planned();

  const site = new LocalTopology("site", { portBase: settings.portBase });
  const app = staticPayload();
  const upstream = new UpstreamHost("upstream", {
    host: site.upstream,
    app,
    behaviour: scenario.upstream,
    tls: scenario.scheme === "https",
  });
  const baseline = new GatewayUnderTest("direct", {
    host: site.gateway,
    adapter: direct(),
    upstream,
    scenario: plainScenario(scenario),
  });
  const tested = new GatewayUnderTest(gateway.name, {
    host: site.gateway,
    adapter: gateway,
    upstream,
    scenario,
    workers: settings.workers,
  });
  const wanted = gateway.name === "direct" ? { direct: baseline } : { direct: baseline, [gateway.name]: tested };
  const bench = new Benchmark("bench", {
    generator: new LoadGenerator(generator.name, { host: site.generator, adapter: generator }),
    targets: wanted,
    load,
    protocol,
    runId: settings.runId,
  });

  const { rps, p99Ms, tlsTps, verdict, summary } = bench;
  return { rps, p99Ms, tlsTps, verdict, summary } satisfies Record<string, pulumi.Output<unknown>>;
};
