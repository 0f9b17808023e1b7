/** One adapter and one scenario, on machines of EC2 and on the nodes of a cluster: what is started has the same texts. */
import { GatewayUnderTest } from "../components/gateway-under-test";
import { UpstreamHost } from "../components/upstream-host";
import { substitute, type Values } from "../contract/reference";
import type { Scenario, Workload } from "../contract";
import { hostValues } from "../hosts/agent/workload";
import { fileKey, workFolder } from "../hosts/kubernetes/workload-manifests";
import { MockedEngine, plain, verbOf, type Cloud } from "../hosts/mocked-engine";
import { fakeGateway } from "../testing";
import { staticPayload } from "../upstreams";
import { Ec2Topology } from "./ec2/ec2-topology";
import { KubernetesTopology } from "./kubernetes/kubernetes-topology";
import type { Topology } from "./topology";

const cpus = 4;
const cloud: Cloud = {
  "aws:ec2/instance:Instance": ({ privateIp }) => ({ publicIp: `of ${String(privateIp)}` }),
  "aws:ec2/getInstanceType:getInstanceType": () => ({
    defaultVcpus: cpus,
    supportedArchitectures: ["x86_64"],
    supportedPlacementStrategies: ["cluster"],
  }),
  "aws:ssm/getParameter:getParameter": () => ({ value: "ami" }),
  "aws:ec2/getAmi:getAmi": () => ({ architecture: "x86_64" }),
};

const onEc2 = (): Topology => {
  const machine = { instanceType: "c5.xlarge" };
  return new Ec2Topology("rig", {
    sshFrom: "203.0.113.7/32",
    ...{ upstream: machine, gateway: machine, generator: machine },
  });
};
const inCluster = (): Topology => {
  const pool = (role: string) => ({ labels: { pool: role }, cpus });
  const pools = { upstream: pool("upstream"), gateway: pool("gateway"), generator: pool("generator") };
  return new KubernetesTopology("rig", { kubeconfig: "the-kubeconfig", namespace: "bench", ...pools });
};

async function madeOn(site: () => Topology, scenario: Scenario): Promise<MockedEngine> {
  const engine = new MockedEngine(undefined, cloud);
  await engine.run(() => {
    const { upstream: host, gateway } = site();
    const upstream = new UpstreamHost("upstream", { host, app: staticPayload(), behaviour: { count: 2 } });
    return new GatewayUnderTest("fake", { host: gateway, adapter: fakeGateway(), upstream, scenario });
  });
  return engine;
}

interface Order {
  readonly workload: Workload;
  readonly values: Values;
}

/** Files as a machine's agent writes them. */
function textsOnEc2(engine: MockedEngine): readonly string[] {
  const { inputs } = engine.named("fake-fake");
  expect(verbOf(inputs)).toBe("start-workload");
  const { workload, values } = JSON.parse(plain(inputs.stdin) as string) as Order;
  const own = hostValues(workFolder, workload, "0.0.0.0");
  return Object.values(workload.files ?? {}).map((text) => substitute(text, { ...values, ...own }));
}

/** Files as a pod finds them. */
function textsInCluster(engine: MockedEngine, paths: readonly string[]): readonly string[] {
  const secret = engine.registered.find(({ name, type }) => name === "fake-fake" && /:Secret$/.test(type));
  const data = plain(secret?.inputs.stringData) as Record<string, string>;
  return paths.map((path) => data[fileKey(path)] as string);
}

const scenarios: readonly { readonly scenario: Scenario; readonly paths: readonly string[] }[] = [
  { scenario: { name: "plain" }, paths: ["fake.json"] },
  { scenario: { name: "keyed", auth: "key", consumers: 3, routes: 2 }, paths: ["fake.json"] },
  { scenario: { name: "secure", scheme: "https", auth: "key" }, paths: ["fake.json", "certificate.pem", "key.pem"] },
];

/** Both name their upstreams by where those are, and by nothing else. */
const withoutAddresses = (text: string): string =>
  text.replaceAll(/10\.77\.0\.\d+|upstream-upstream-\d\.bench\.svc\.cluster\.local/g, "THE-UPSTREAM");

test.each(scenarios)("$scenario.name: the texts differ in addresses alone", async ({ scenario, paths }) => {
  const there = textsOnEc2(await madeOn(onEc2, scenario));
  const here = textsInCluster(await madeOn(inCluster, scenario), paths);
  expect(here).not.toEqual(there);
  expect(here.map(withoutAddresses)).toEqual(there.map(withoutAddresses));
  expect(here.join("\n")).not.toContain("<gatebench:");
});
