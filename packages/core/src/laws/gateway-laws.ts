import assert from "node:assert/strict";
import {
  bindAddress,
  credentialNames,
  figureFaults,
  lineOf,
  manifestsOf,
  placeholdersIn,
  referencesIn,
  unknownReferences,
  unsupportedPolicies,
  type Auth,
  type CounterPage,
  type Deployment,
  type GatewayAdapter,
  type ResolvedScenario,
  type Scenario,
  type Workload,
} from "../contract";
import { clusterLaws } from "./cluster-laws";
import { type Claim, claims, declaredScenarios, plain, tlsClaims, undeclaredScenarios } from "./claims";
import { refuses, renderedFor, startedText, workloadsOf, type Rendered } from "./rendered";

/** Something every gateway adapter must satisfy, whatever runs the check. */
export interface GatewayLaw {
  /** A sentence about the adapter: "pins every image to a version". */
  readonly name: string;
  /** Throws an assertion where the adapter breaks the law. */
  check(adapter: GatewayAdapter): void;
}

/** What is declared decides what is asked: a gateway without rate limits is asked for none, and must refuse them. */
export const gatewayLaws: readonly GatewayLaw[] = [
  {
    name: "has a kebab-case name",
    check: ({ name }) => assert.match(name, kebabCase),
  },
  {
    name: "renders the same for the same scenario, and changes neither scenario nor site",
    check: (adapter) => {
      for (const scenario of declaredScenarios(adapter)) {
        const { deployment } = renderedFor(adapter, scenario);
        assert.deepEqual(renderedFor(adapter, scenario).deployment, deployment);
      }
    },
  },
  {
    name: "renders plain data",
    check: (adapter) =>
      everywhere(adapter, ({ deployment }) => assert.deepEqual(JSON.parse(JSON.stringify(deployment)), deployment)),
  },
  {
    name: "pins every image to a version",
    check: (adapter) =>
      everyWorkload(adapter, ({ image }) => {
        assert.match(image, /:[^:/]*\d[^:/]*$/, `${image} names no version`);
        assert.doesNotMatch(image, /:latest$/, `${image} is another image tomorrow`);
      }),
  },
  {
    name: "renders the version it states",
    check: (adapter) => {
      const { deployment } = renderedFor(adapter, plain);
      if (adapter.version === null) return assert.equal(startsNothing(deployment), true, "it starts something");
      assert.ok(startedText(deployment).includes(adapter.version), `${adapter.version} appears nowhere`);
    },
  },
  {
    name: "names its workloads in kebab-case, each once",
    check: (adapter) =>
      everywhere(adapter, ({ deployment }) => {
        const names = workloadsOf(deployment).map(({ name }) => name);
        for (const name of names) assert.match(name, kebabCase);
        assert.equal(new Set(names).size, names.length, `${names.join(", ")}: a name stands twice`);
      }),
  },
  {
    name: "reaches every upstream",
    check: (adapter) =>
      everywhere(adapter, ({ deployment, site }) => {
        const text = startedText(deployment) + JSON.stringify(deployment.entry);
        for (const { host, port, securePort } of site.upstreams) {
          assert.ok(text.includes(host), `upstream ${host} appears nowhere`);
          const reached = [port, securePort].some((one) => one !== undefined && hasNumber(text, one));
          assert.ok(reached, `no port of upstream ${host} appears`);
        }
      }),
  },
  {
    name: "renders differently for each policy it claims to enforce",
    check: (adapter) => claims(adapter).forEach((claim) => assertRendered(adapter, claim)),
  },
  {
    name: "refuses each policy it does not claim",
    check: (adapter) => {
      for (const scenario of undeclaredScenarios(adapter)) {
        const faults = unsupportedPolicies(adapter, scenario);
        assert.ok(faults.length > 0, `${adapter.name} takes ${JSON.stringify(scenario)}`);
      }
    },
  },
  {
    name: "serves TLS exactly as the profile says",
    check: (adapter) => tlsClaims(adapter).forEach((claim) => assertRendered(adapter, claim)),
  },
  {
    name: "keeps connections to the upstream open only where asked",
    check: (adapter) => {
      if (adapter.version === null) return;
      const asked: Scenario = { ...plain, upstream: { keepAlive: false } };
      if (!refuses(adapter, asked)) assertRendered(adapter, { policy: "keepAlive", asked, without: plain });
    },
  },
  {
    name: "gives the gateway the workers of its site",
    check: (adapter) => {
      if (adapter.version === null) return;
      const [three, five] = [3, 5].map((workers) => startedText(renderedFor(adapter, plain, { workers }).deployment));
      assert.notEqual(three, five, "workers change nothing");
    },
  },
  {
    name: "uses only the ports it was given",
    check: (adapter) =>
      everywhere(adapter, ({ deployment, site }) => {
        const allocated = Object.values(site.ports);
        for (const { name, ports } of workloadsOf(deployment))
          for (const port of Object.values(ports)) assert.ok(allocated.includes(port), `${name} takes port ${port}`);
      }),
  },
  {
    name: "moves with its ports",
    check: (adapter) => {
      for (const scenario of declaredScenarios(adapter)) {
        const [here, there] = [renderedFor(adapter, scenario), renderedFor(adapter, scenario, { firstPort: 28_001 })];
        const moved = adapter.ports.reduce(
          (text, name) => replaceNumber(text, here.site.ports[name] as number, there.site.ports[name] as number),
          JSON.stringify(here.deployment),
        );
        assert.equal(moved, JSON.stringify(there.deployment), "a port stands where it was not given");
      }
    },
  },
  {
    name: "lets traffic enter at its first port, with the scheme asked for",
    check: (adapter) =>
      everywhere(adapter, ({ deployment: { entry }, site, scenario }) => {
        assert.equal(entry.scheme, scenario.scheme);
        const [first] = adapter.ports;
        if (first !== undefined) assert.equal(entry.port, site.ports[first], `${first} is not where traffic enters`);
      }),
  },
  {
    name: "binds its workloads to the address the host says",
    check: (adapter) =>
      everyWorkload(adapter, (workload) => {
        if (Object.keys(workload.ports).length === 0) return;
        const text = JSON.stringify(workload);
        assert.ok(text.includes(bindAddress), `${workload.name} does not mention ${bindAddress}`);
        assert.doesNotMatch(text, /\b0\.0\.0\.0\b|\[::\]/, `${workload.name} binds to every address by itself`);
      }),
  },
  {
    name: "refers only to values that exist",
    check: (adapter) =>
      everywhere(adapter, ({ deployment, scenario }) => {
        const known = credentialNames(scenario.consumers);
        const faults = unknownReferences([JSON.stringify(deployment)], known, adapter.name);
        assert.deepEqual(faults, [], faults[0]?.message);
      }),
  },
  {
    name: "refers only to siblings and files that it has",
    check: (adapter) =>
      everywhere(adapter, ({ deployment }) => {
        const workloads = workloadsOf(deployment);
        const siblings = workloads.map(({ name }) => `address.${name}`);
        for (const workload of workloads) {
          const own = [...siblings, ...Object.keys(workload.files ?? {}).map((path) => `file.${path}`)];
          assertWithin(hostReferences(JSON.stringify(workload)), own, workload.name);
        }
        assertWithin(hostReferences(JSON.stringify(deployment.entry)), siblings, "the entry");
      }),
  },
  {
    name: "keeps certificates and keys in files of their own",
    check: (adapter) =>
      everywhere(adapter, ({ deployment }) => {
        const rest = JSON.stringify(deployment, (_, value) => (wholePem.test(String(value)) ? "" : value));
        assert.doesNotMatch(rest, /<gatebench:certificate\./, "a PEM text stands inside other text");
        const wanted = occurrences(filesOf(deployment).join("\n"), "<gatebench:certificate.");
        assert.equal(occurrences(JSON.stringify(deployment), "<gatebench:certificate."), wanted, "it is not in a file");
      }),
  },
  {
    name: "sends the scenario's request, expecting 200",
    check: (adapter) => {
      const request = { method: "POST", body: '{"a":1}', headers: { "x-shape": "b" } } as const;
      for (const sent of renderedFor(adapter, { ...plain, request }).deployment.requests) {
        assert.deepEqual([sent.method, sent.body, sent.headers["x-shape"]], ["POST", '{"a":1}', "b"]);
        assert.equal(sent.expect, 200);
      }
    },
  },
  {
    name: "sends to each route, and as each consumer with that consumer's credential",
    check: (adapter) =>
      everywhere(adapter, ({ deployment: { requests }, site, scenario }) => {
        assert.equal(new Set(requests.map(({ path }) => path)).size, scenario.routes, "routes are missing");
        const text = requests.map(({ path, headers }) => path + JSON.stringify(headers));
        const sent = site.consumers.filter((consumer) => text.some((one) => carries(one, consumer.name, scenario)));
        assert.equal(sent.length, scenario.auth ? scenario.consumers : 0, "consumers are missing");
        if (scenario.auth && scenario.consumers > 0)
          for (const one of text) assert.match(one, credentialOf(scenario), "a request has no credential");
      }),
  },
  {
    name: "says how to tell that it is ready",
    check: (adapter) =>
      everyWorkload(adapter, ({ name, role, readiness, ports }) => {
        if (role !== "gateway") return;
        assert.ok(readiness, `${name} has no readiness`);
        assert.ok(Object.values(ports).includes(readiness.port), `${name} is asked on a port it does not have`);
      }),
  },
  {
    name: "counts and measures on ports of its workloads, by expressions with one capture",
    check: (adapter) =>
      everywhere(adapter, ({ deployment }) => {
        const own = workloadsOf(deployment).flatMap(({ ports }) => Object.values(ports));
        const pages = [...(deployment.counters ?? []), ...(deployment.metrics ?? []), ...(deployment.setup ?? [])];
        for (const { path, port } of pages)
          if (deployment.kind === "containers") assert.ok(own.includes(port), `nothing of it has the port of ${path}`);
        for (const page of deployment.counters ?? []) expressionsOf(page).forEach(assertOneCapture);
      }),
  },
  {
    name: "declares figures that are PromQL, each of its own series",
    check: (adapter) =>
      everywhere(adapter, ({ deployment }) => {
        const figures = (deployment.metrics ?? []).flatMap((page) => page.figures ?? []);
        const declared = figures.map((figure) => ({ figure, whose: "adapter", by: adapter.name }) as const);
        assert.deepEqual(figureFaults(declared).map(lineOf), []);
        for (const { name, query } of figures)
          assert.ok(
            placeholdersIn(query).includes("gateway"),
            `the query of ${name} asks other gateways, too: it needs {$gateway}`,
          );
      }),
  },
  ...clusterLaws,
];

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const wholePem = /^<gatebench:certificate\.(certificate|key)>$/;

const startsNothing = (deployment: Deployment) => deployment.kind === "containers" && deployment.workloads.length === 0;

/** Whole texts under a name of their own: a workload's files, what a Secret of a cluster holds. */
function filesOf(deployment: Deployment): readonly string[] {
  const named =
    deployment.kind === "containers"
      ? deployment.workloads.map(({ files }) => files)
      : manifestsOf(deployment).map(({ stringData }) => stringData as Readonly<Record<string, string>> | undefined);
  return named.flatMap((files) => Object.values(files ?? {}));
}

/** What enforces a scenario; the entry counts only for a gateway that starts nothing and so has nothing else. */
function enforcedText(adapter: GatewayAdapter, scenario: Scenario): string {
  const { deployment } = renderedFor(adapter, scenario);
  return startedText(deployment) + (startsNothing(deployment) ? JSON.stringify(deployment.entry) : "");
}

function assertRendered(adapter: GatewayAdapter, { policy, asked, without }: Claim): void {
  assert.notEqual(enforcedText(adapter, asked), enforcedText(adapter, without), `${policy} changes nothing`);
}

function everywhere(adapter: GatewayAdapter, check: (rendered: Rendered) => void): void {
  for (const scenario of declaredScenarios(adapter)) check(renderedFor(adapter, scenario));
}

function everyWorkload(adapter: GatewayAdapter, check: (workload: Workload) => void): void {
  everywhere(adapter, ({ deployment }) => workloadsOf(deployment).forEach(check));
}

const credentialParts = { key: "key", basic: "basicCredentials", jwt: "jwt", external: "(key|basicCredentials|jwt)" };

const credentialOf = ({ auth }: ResolvedScenario, consumer = "consumer-\\d+") =>
  new RegExp(`<gatebench:${consumer}\\.${credentialParts[auth as Auth]}>`);

const carries = (text: string, consumer: string, scenario: ResolvedScenario) =>
  scenario.auth !== undefined && credentialOf(scenario, consumer).test(text);

const hostReferences = (text: string) => referencesIn(text).filter((name) => /^(file|address)\./.test(name));

function assertWithin(names: readonly string[], known: readonly string[], where: string): void {
  for (const name of names) assert.ok(known.includes(name), `${where} refers to ${name}, which is not there`);
}

const occurrences = (text: string, part: string) => text.split(part).length - 1;

const hasNumber = (text: string, value: number) => new RegExp(`(?<!\\d)${value}(?!\\d)`).test(text);
const replaceNumber = (text: string, from: number, to: number) =>
  text.replace(new RegExp(`(?<!\\d)${from}(?!\\d)`, "g"), String(to));

const expressionsOf = ({ values = {}, statuses = {}, statusLines }: CounterPage): readonly string[] => [
  ...Object.values(values),
  ...Object.values(statuses),
  ...(statusLines === undefined ? [] : [statusLines]),
];

function assertOneCapture(expression: string): void {
  const captures = (new RegExp(`${expression}|`).exec("") as RegExpExecArray).length - 1;
  assert.equal(captures, 1, `${expression} has ${captures} captures`);
}
