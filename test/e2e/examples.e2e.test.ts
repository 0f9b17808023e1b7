import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation";

jest.setTimeout(120_000);

const examples = join(__dirname, "..", "..", "examples");
const backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
afterAll(() => rmSync(backend, { recursive: true, force: true }));

test.each(readdirSync(examples))("the example %s is planned by the engine without a complaint", async (name) => {
  const envVars = {
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const stack = await LocalWorkspace.createStack(
    { stackName: "test", workDir: join(examples, name) },
    { envVars, stackSettings: { test: {} } },
  );
  const complaints: string[] = [];
  const preview = await stack.preview({
    onEvent: ({ diagnosticEvent }) => diagnosticEvent?.severity === "error" && complaints.push(diagnosticEvent.message),
  });
  rmSync(join(examples, name, "Pulumi.test.yaml"), { force: true });
  expect(complaints).toEqual([]);
  expect(preview.changeSummary.create).toBeGreaterThan(10);
});
