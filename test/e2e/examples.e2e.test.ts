import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, type ConfigMap } from "@pulumi/pulumi/automation";
import { parse } from "yaml";
import { openTwin } from "./twin";

jest.setTimeout(120_000);

const examples = join(__dirname, "..", "..", "examples");
const backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
/** Examples on EC2 ask the twin of it (test/twin) what an instance type is; a preview makes nothing. */
const twin = openTwin();
afterAll(async () => {
  await twin.destroy();
  for (const folder of [backend, tools]) rmSync(folder, { recursive: true, force: true });
});

/** Of a cluster that nobody asks: a preview in a new namespace makes nothing there. */
const kubeconfig = JSON.stringify({
  ...{ apiVersion: "v1", kind: "Config", "current-context": "own" },
  contexts: [{ name: "own", context: { cluster: "own", user: "me" } }],
  clusters: [{ name: "own", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "me", user: { token: "none" } }],
});

/** What a person has to give, by the example's own description. */
const given: Readonly<Record<string, string>> = {
  ...{ sshFrom: "203.0.113.7/32", kubeconfig, authorizerImage: "registry.example/ext-authz:1" },
};

/** Clusters are planned with the stand-ins of their plug-ins (test/cluster), and with an AWS command line tool that answers. */
const tools = mkdtempSync(join(tmpdir(), "gatebench-aws-cli-"));
writeFileSync(join(tools, "aws"), "#!/bin/sh\necho aws-cli/2.15.0 Python/3.11\n", { mode: 0o755 });
const path = [tools, join(__dirname, "..", "cluster", "bin"), twin.env.PATH].join(":");

interface Project {
  readonly name: string;
  readonly config?: Readonly<Record<string, { readonly default?: string; readonly secret?: boolean }>>;
}

function settingsOf(folder: string): ConfigMap {
  const { name, config = {} } = parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8")) as Project;
  const asked = Object.entries(config).filter(([, { default: own }]) => own === undefined);
  return Object.fromEntries(
    asked.map(([key, { secret }]) => [`${name}:${key}`, { value: given[key] as string, secret }]),
  );
}

/** Others are files for the command, which its own tests read. */
const programs = readdirSync(examples).filter((name) => existsSync(join(examples, name, "Pulumi.yaml")));

test.each(programs)("the example %s is planned by the engine without a complaint", async (name) => {
  const folder = join(examples, name);
  const envVars = {
    ...{ PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "", PULUMI_SKIP_UPDATE_CHECK: "true" },
    ...twin.env,
    PATH: path,
  };
  const stack = await LocalWorkspace.createStack({ stackName: "test", workDir: folder }, { envVars });
  await stack.setAllConfig(settingsOf(folder));
  const complaints: string[] = [];
  const preview = await stack.preview({
    onEvent: ({ diagnosticEvent }) => diagnosticEvent?.severity === "error" && complaints.push(diagnosticEvent.message),
  });
  rmSync(join(folder, "Pulumi.test.yaml"), { force: true });
  expect(complaints).toEqual([]);
  expect(preview.changeSummary.create).toBeGreaterThan(10);
});
