/**
 * The twin of EC2 under test/twin, by itself: its machines are real enough to log in to, to run containers on and to lose;
 * its stand-in of the aws plug-in carries real @pulumi/aws resources, and both leave nothing behind.
 */
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import {
  LocalWorkspace,
  type OutputMap,
  type PreviewResult,
  type Stack,
  type UpResult,
} from "@pulumi/pulumi/automation";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftOf, machinesIn, madeBy, openTwin, type Machine, type Twin } from "./twin";

jest.setTimeout(60_000);

const NGINX = "nginx:1.30.4";
const CURL = "curlimages/curl:8.11.0";
const nothing = {
  ...{ devices: [], processes: [], namespaces: [], mounts: [], controlGroups: [], accounts: [] },
  files: [],
};

beforeAll(() => {
  if (process.getuid?.() !== 0) throw new Error("needs-root: the twin makes network namespaces. Type: sudo npm test");
});

describe("two machines", () => {
  let twin: Twin;
  let one: Machine;
  let other: Machine;

  beforeAll(async () => {
    twin = openTwin();
    const created = await twin.command(
      "create",
      "--count",
      "2",
      "--key",
      join(twin.state, "key.pub"),
      "--images",
      `${NGINX} ${CURL}`,
    );
    [one, other] = machinesIn(created) as [Machine, Machine];
  });
  afterAll(() => twin.destroy());

  test("log in with a key as an ordinary user who may become root", async () => {
    const { code, stdout } = await twin.ssh(one.publicIp, "whoami; sudo -n whoami; hostname; cat /etc/hostname");
    const hostname = `ip-${one.privateIp.replaceAll(".", "-")}`;
    expect({ code, lines: stdout.trim().split("\n") }).toEqual({
      code: 0,
      lines: ["ec2-user", "root", hostname, hostname],
    });
  });

  test("have files, processes and a Docker Engine each, and none of this computer's benchmark programs", async () => {
    await twin.ssh(one.publicIp, "sudo mkdir -p /var/lib/gatebench; sudo touch /var/lib/gatebench/mine; touch mine");
    const seen = await twin.ssh(
      other.publicIp,
      "ls /var/lib/gatebench; ls; docker info --format '{{.Name}}'; pidof dockerd | wc -w",
    );
    expect(seen.stdout.trim().split("\n")).toEqual([`ip-${other.privateIp.replaceAll(".", "-")}`, "1"]);
    const { code } = await twin.ssh(one.publicIp, "command -v node nginx wrk");
    expect(code).not.toBe(0);
  });

  test("an nginx of one is reached from a container of the other, by its private and its public address", async () => {
    const started = await twin.ssh(one.publicIp, `docker run -d --network host --name web ${NGINX}`);
    expect(started.stderr).toBe("");
    for (const address of [one.privateIp, one.publicIp]) {
      const url = `http://${address}/`;
      const answer = await twin.ssh(
        other.publicIp,
        `docker run --rm --network host ${CURL} curl -s --retry 5 --retry-connrefused ${url}`,
      );
      expect(answer).toEqual({ code: 0, stdout: "nginx on a twin of EC2\n", stderr: "" });
    }
  });

  test("have only the images that were asked for", async () => {
    const { stdout } = await twin.ssh(one.publicIp, "docker images --format '{{.Repository}}:{{.Tag}}' | sort");
    expect(stdout.trim().split("\n")).toEqual([CURL, NGINX]);
    const { stderr } = await twin.ssh(one.publicIp, "docker run --rm redis:7.2");
    expect(stderr).toContain("Unable to find image 'redis:7.2' locally");
  });

  test.each([
    ["kill-ssh", "start-ssh", /Connection refused/],
    ["silence-ssh", "answer-ssh", /timed out/],
    ["unplug", "plug-in", /timed out|No route to host/],
  ])("%s ends a session under way and lets no new one in, until %s", async (cut, mend, reason) => {
    const running = twin.ssh(one.publicIp, "echo begun; sleep 30");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await twin.command(cut, one.id);
    expect((await running).code).toBe(255);
    expect(await twin.ssh(one.publicIp, "true")).toMatchObject({ code: 255, stderr: expect.stringMatching(reason) });
    await twin.command(mend, one.id);
    expect((await twin.ssh(one.publicIp, "docker ps --format '{{.Names}}'")).stdout).toBe("web\n");
  });

  test("a machine whose power was cut comes back with its disk", async () => {
    await twin.command("stop", one.id);
    expect(await twin.machines()).toContainEqual({ ...one, running: false });
    await twin.command("start", one.id);
    expect(await twin.ssh(one.publicIp, "ls; docker ps -a --format '{{.Names}}'")).toMatchObject({
      stdout: "mine\nweb\n",
    });
  });

  test("an image nobody can make is refused by its name", async () => {
    const asked = twin.command("create", "--images", "traefik:3.14");
    await expect(asked).rejects.toThrow(
      /twin-image: the twin has no image "traefik:3.14"\. It makes, with any tag: nginx, /,
    );
  });

  test("leave nothing when they are destroyed, running containers or not", async () => {
    await twin.ssh(one.publicIp, "docker start web");
    const made = await madeBy(twin);
    const { devices, namespaces, controlGroups } = leftOf(twin.state, made);
    expect([devices?.length, namespaces?.length, controlGroups?.length]).toEqual([3, 2, expect.any(Number)]);
    expect(controlGroups).not.toEqual([]);
    await twin.command("destroy");
    expect(leftOf(twin.state, made)).toEqual(nothing);
  });
});

test("what a killed program had begun is found and destroyed", async () => {
  const twin = openTwin();
  for (const afterMs of [80, 250, 450]) {
    const killed = execFile(process.execPath, [twin.program, "create", "--count", "2"], {
      env: { ...process.env, ...twin.env },
    });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    killed.kill("SIGKILL");
  }
  const made = await madeBy(twin);
  await twin.command("destroy");
  expect(leftOf(twin.state, made)).toEqual(nothing);
  await twin.destroy();
});

/** One VPC with a machine in it, written as for AWS. */
function program({
  twin,
  type,
  ami = "x86_64",
  userData,
}: {
  twin: Twin;
  type: string;
  ami?: string;
  userData?: string;
}) {
  return async () => {
    const image = await aws.ssm.getParameter({
      name: `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${ami}`,
    });
    const { defaultVcpus } = await aws.ec2.getInstanceType({ instanceType: "c5.9xlarge" });
    const vpc = new aws.ec2.Vpc("rig", { cidrBlock: "10.0.0.0/16", enableDnsHostnames: true });
    const subnet = new aws.ec2.Subnet("rig", { vpcId: vpc.id, cidrBlock: "10.0.1.0/24", mapPublicIpOnLaunch: true });
    const gateway = new aws.ec2.InternetGateway("rig", { vpcId: vpc.id });
    const table = new aws.ec2.RouteTable("rig", {
      vpcId: vpc.id,
      routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: gateway.id }],
    });
    new aws.ec2.RouteTableAssociation("rig", { routeTableId: table.id, subnetId: subnet.id });
    const group = new aws.ec2.SecurityGroup("rig", { vpcId: vpc.id });
    const anywhere = { securityGroupId: group.id, cidrIpv4: "0.0.0.0/0" };
    new aws.vpc.SecurityGroupIngressRule("ssh", { ...anywhere, ipProtocol: "tcp", fromPort: 22, toPort: 22 });
    new aws.vpc.SecurityGroupEgressRule("all", { ...anywhere, ipProtocol: "-1" });
    const key = new aws.ec2.KeyPair("rig", { publicKey: twin.publicKey });
    const placement = new aws.ec2.PlacementGroup("rig", { strategy: "cluster" });
    const { id, arn, privateIp, publicIp, publicDns, instanceState } = new aws.ec2.Instance("gateway", {
      ami: image.insecureValue,
      instanceType: type,
      subnetId: subnet.id,
      vpcSecurityGroupIds: [group.id],
      keyName: key.keyName,
      placementGroup: placement.name,
      userData: pulumi.secret(userData),
      metadataOptions: { httpTokens: "required" },
      rootBlockDevice: { volumeSize: 20, volumeType: "gp3" },
      tags: { Name: "gateway" },
    });
    return { ...{ id, arn, privateIp, publicIp, publicDns, instanceState }, defaultVcpus };
  };
}

describe("a stack of aws resources", () => {
  const userData =
    "#!/bin/bash\nset -e\ndnf install -y docker\nsystemctl enable --now docker\nusermod -aG docker ec2-user\n";
  const cloudConfig = `#cloud-config
packages: [docker]
write_files:
  - path: /etc/rig/note
    content: |
      'a' "b" $c
runcmd:
  - [usermod, -aG, docker, ec2-user]
`;
  let twin: Twin;
  let planned: PreviewResult;
  let stack: Stack;
  let backend: string;
  let first: UpResult;
  const up = (what: { type: string; ami?: string; userData?: string }) =>
    stack.up({ program: program({ twin, userData, ...what }) });
  const outputs = (result: UpResult) => plain(result.outputs) as Record<string, string>;

  beforeAll(async () => {
    twin = openTwin([NGINX]);
    backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
    const settings = {
      PULUMI_BACKEND_URL: `file://${backend}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    stack = await LocalWorkspace.createOrSelectStack(
      { stackName: "test", projectName: "twin", program: async () => undefined },
      { workDir: backend, envVars: { ...settings, ...twin.env, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" } },
    );
    planned = await stack.preview({ program: program({ twin, type: "c5.9xlarge", userData }) });
    first = await up({ type: "c5.9xlarge" });
  });
  afterAll(async () => {
    await twin.destroy();
    rmSync(backend, { recursive: true, force: true });
  });

  test("is planned whole before anything exists", () => {
    expect(planned.changeSummary).toEqual({ create: 12 });
    expect(first.summary.resourceChanges).toEqual({ create: 12 });
  });

  test("tells of its instance what AWS tells", () => {
    const id = expect.stringMatching(/^i-0[0-9a-f]{16}$/);
    const arn = `arn:aws:ec2:eu-central-1:123456789012:instance/${outputs(first).id}`;
    const publicIp = expect.stringMatching(/^10\.78\.\d+\.\d+$/);
    const addresses = { privateIp: expect.stringMatching(/^10\.0\.1\.\d+$/), publicIp, publicDns: publicIp };
    expect(outputs(first)).toEqual({ id, arn, ...addresses, instanceState: "running", defaultVcpus: 36 });
  });

  test("has carried the user data out, as cloud-init says", async () => {
    const { publicIp } = outputs(first) as { publicIp: string };
    const line = "cloud-init status --wait | tail -1; cat /var/log/twin-calls.log";
    const { stdout } = await twin.ssh(publicIp, line);
    expect(stdout).toBe("status: done\ndnf install -y docker\nsystemctl enable --now docker\n");
    expect((await twin.ssh(publicIp, "docker images --format '{{.Repository}}:{{.Tag}}'")).stdout).toBe(`${NGINX}\n`);
  });

  test("is planned and brought up again without a change", async () => {
    const { summary } = await up({ type: "c5.9xlarge" });
    expect(summary.resourceChanges).toEqual({ same: 12 });
    expect((await stack.refresh()).summary.resourceChanges).toEqual({ same: 12 });
  });

  test("changes an instance's type in place: its disk and private address stay, its public address does not", async () => {
    const before = outputs(first) as { id: string; publicIp: string; privateIp: string };
    await twin.ssh(before.publicIp, "touch mine");
    const result = await up({ type: "c5.2xlarge" });
    const after = outputs(result) as typeof before;
    expect(result.summary.resourceChanges).toEqual({ same: 11, update: 1 });
    expect([after.id, after.privateIp]).toEqual([before.id, before.privateIp]);
    expect(after.publicIp).not.toBe(before.publicIp);
    expect((await twin.ssh(after.publicIp, "ls")).stdout).toBe("mine\n");
  });

  test.each([
    [{ type: "c9.huge" }, "Invalid value 'c9.huge' for InstanceType."],
    [{ type: "t3.large" }, "Cluster placement groups are not supported by the 't3.large' instance type."],
    [{ type: "c5.large", ami: "arm64" }, "does not match the architecture 'arm64' of the specified AMI"],
    [{ type: "c5.large", userData: "dnf install docker" }, 'begins with neither "#!" nor "#cloud-config"'],
  ])("refuses %j as EC2 does", async (wrong, words) => {
    await expect(up(wrong)).rejects.toThrow(words);
  });

  test("notices on refresh that an instance was terminated by other hands, and makes it anew", async () => {
    const [machine] = await twin.machines();
    await twin.command("remove", (machine as Machine).id);
    expect((await stack.refresh()).summary.resourceChanges).toMatchObject({ delete: 1 });
    const result = await up({ type: "c5.2xlarge", userData: cloudConfig });
    expect(result.summary.resourceChanges).toEqual({ same: 11, create: 1 });
    const { publicIp } = outputs(result) as { publicIp: string };
    const { stdout } = await twin.ssh(publicIp, "cloud-init status --wait | tail -1; cat /etc/rig/note; id -Gn");
    expect(stdout).toBe("status: done\n'a' \"b\" $c\nec2-user docker\n");
  });

  test("keeps its secrets out of the engine's state", () => {
    const checkpoint = join(backend, ".pulumi/stacks/twin/test.json");
    const text = readFileSync(checkpoint, "utf8");
    expect(text).toContain('"userData"');
    expect(text).not.toContain("usermod");
  });

  test("leaves nothing when it is destroyed", async () => {
    const made = await madeBy(twin);
    await stack.destroy();
    expect(leftOf(twin.state, made)).toEqual({ ...nothing, files: ["cloud", "machines", "sites"] });
    for (const folder of ["cloud", "machines", "sites"]) expect(readdirSync(join(twin.state, folder))).toEqual([]);
  });
});

const plain = (outputs: OutputMap) =>
  Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
