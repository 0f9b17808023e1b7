/**
 * One gateway against one scenario on this machine, beside the path without it.
 *
 *   npm install && eval "$(npm run -s gatebench:env)" && cd stacks/local
 *   pulumi stack select --create tls-transactions && pulumi up
 *
 * The stack files beside this one are presets; each key is documented in settings.ts.
 */
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  Observatory,
  programsOf,
  refuseFaults,
  scrapeFaults,
  UpstreamHost,
} from "@gatebench/core";
import { LocalTopology, missingBinaries, observatoryPrograms, onPath } from "@gatebench/core/local";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import { plannedStack, resultsOf } from "@gatebench/matrix/stack";
import { settings } from "./settings";

export = async () => {
  const asked = settings();
  const { portBase, workers, runId, generatorWorkers, observe, scrapeInterval, remoteWrite } = asked;
  const plan = await plannedStack(asked);
  const { targets, generator, scenario, load, protocol } = plan;
  const beside = observe ? observatoryPrograms() : [];
  refuseFaults([
    ...(observe ? scrapeFaults(scrapeInterval, load) : []),
    ...missingBinaries([...programsOf(plan), programOf(staticPayload()), ...beside]),
  ]);

  const site = new LocalTopology("site", { portBase, workers: generatorWorkers });
  const tls = scenario.scheme === "https";
  const upstream = new UpstreamHost("upstream", {
    host: site.upstream,
    app: staticPayload(),
    behaviour: scenario.upstream,
    tls,
  });
  const underTest = targets.map(
    ({ name, ...what }) =>
      [name, new GatewayUnderTest(name, { host: site.gateway, upstream, workers, ...what })] as const,
  );
  const loads = new LoadGenerator(generator.name, { host: site.generator, adapter: generator, workers: site.workers });
  const observatory = observe
    ? new Observatory("observatory", {
        host: site.observer,
        watches: [upstream, ...underTest.map(([, target]) => target), loads],
        scrapeInterval,
        remoteWrite,
        grafana: onPath("grafana"),
      })
    : undefined;
  const bench = new Benchmark("bench", {
    generator: loads,
    observatory,
    targets: Object.fromEntries(underTest),
    load,
    protocol,
    runId,
    results: resultsOf(asked),
  });

  const { rps, p99Ms, tlsTps, verdict, summary } = bench;
  const reached = observatory && { url: observatory.url, grafana: observatory.grafana };
  return { rps, p99Ms, tlsTps, verdict, summary, ...(reached ? { observatory: reached } : {}) };
};
