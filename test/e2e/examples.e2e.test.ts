import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { parse } from "yaml";
import { openTwin } from "./twin";

jest.setTimeout(120_000);

const examples = join(__dirname, "..", "..", "examples");
const backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
/** Examples on EC2 ask the twin of it (test/twin) what an instance type is; a preview makes nothing. */
const twin = openTwin();
afterAll(async () => {
  await twin.destroy();
  rmSync(backend, { recursive: true, force: true });
});

/** What a person has to give, by the example's own description. */
const given: Readonly<Record<string, string>> = { sshFrom: "203.0.113.7/32" };

interface Project {
  readonly name: string;
  readonly config?: Readonly<Record<string, { readonly default?: string }>>;
}

function settingsOf(folder: string): Record<string, string> {
  const { name, config = {} } = parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8")) as Project;
  const asked = Object.entries(config).filter(([, { default: own }]) => own === undefined);
  return Object.fromEntries(asked.map(([key]) => [`${name}:${key}`, given[key] as string]));
}

/** Others are files for the command, which its own tests read. */
const programs = readdirSync(examples).filter((name) => existsSync(join(examples, name, "Pulumi.yaml")));

test.each(programs)("the example %s is planned by the engine without a complaint", async (name) => {
  const folder = join(examples, name);
  const envVars = {
    ...{ PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "", PULUMI_SKIP_UPDATE_CHECK: "true" },
    ...twin.env,
  };
  const stack = await LocalWorkspace.createStack(
    { stackName: "test", workDir: folder },
    { envVars, stackSettings: { test: { config: settingsOf(folder) } } },
  );
  const complaints: string[] = [];
  const preview = await stack.preview({
    onEvent: ({ diagnosticEvent }) => diagnosticEvent?.severity === "error" && complaints.push(diagnosticEvent.message),
  });
  rmSync(join(folder, "Pulumi.test.yaml"), { force: true });
  expect(complaints).toEqual([]);
  expect(preview.changeSummary.create).toBeGreaterThan(10);
});
