import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { StandInEc2 } from "./stand-in-ec2";
import type * as SweepCommand from "./sweep-command";

jest.setTimeout(60_000);

const state = mkdtempSync(join(tmpdir(), "gatebench-sweep-"));
const before = process.env;
let ec2: StandInEc2;

beforeEach(async () => {
  ec2 = await new StandInEc2().open();
  // Without any account of this machine's, and with nobody else to ask.
  process.env = {
    ...{ PATH: before.PATH, HOME: state, XDG_STATE_HOME: state, AWS_ENDPOINT_URL: ec2.endpoint },
    ...{ AWS_ACCESS_KEY_ID: "of-nobody", AWS_SECRET_ACCESS_KEY: "nothing", AWS_EC2_METADATA_DISABLED: "true" },
  };
});
afterEach(() => ec2.close());
afterAll(() => {
  process.env = before;
  rmSync(state, { recursive: true });
});

/** What the command says, and what it fails with. */
async function sweep(...args: readonly string[]) {
  // Where the state lies is read once, when the module is loaded.
  const { sweepCommand } = jest.requireActual<typeof SweepCommand>("./sweep-command");
  const said: string[] = [];
  const stdout = jest.spyOn(process.stdout, "write").mockImplementation((text) => said.push(String(text)) > 0);
  const command = new Command();
  sweepCommand(command);
  const failure = await command.parseAsync(args, { from: "user" }).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  stdout.mockRestore();
  return { stdout: said.join(""), failure };
}

const tags = { Project: "gatebench", Stack: "p/s", Ttl: "1h", Name: "site-vpc" };
const onEc2 = ["--ec2", "--region", "eu-central-1"];

test("lists what is left on EC2, changes nothing, and says how to remove it", async () => {
  ec2.has("Vpcs", { id: "vpc-1", tags });
  const { stdout, failure } = await sweep(...onEc2);
  expect([failure, ec2.changes]).toEqual([undefined, []]);
  expect(stdout).toBe(`\
p/s on eu-central-1 – left behind
  VPC vpc-1 (site-vpc, 10.77.0.0/24), of unknown age

nothing was removed; to remove what was left behind, say the same with --yes
`);
});

test("removes it with --yes, a line for each; what could not go makes it fail", async () => {
  ec2.has("Subnets", { id: "subnet-1", tags, holds: ["vpc-1"] });
  ec2.has("Vpcs", { id: "vpc-1", tags });
  ec2.errors.DeleteSubnet = ["UnauthorizedOperation"];
  ec2.errors.DeleteVpc = ["UnauthorizedOperation"];
  const failed = await sweep(...onEc2, "--yes");
  expect(failed.stdout).toContain(
    "\nstill there: subnet subnet-1 (site-vpc, 10.77.0.0/24, vpc-1): UnauthorizedOperation: ",
  );
  expect(failed.failure).toBe(
    "left-behind: 2 could not be removed; the lines above say why. Run it again, or remove them by hand.",
  );
  const { stdout, failure } = await sweep(...onEc2, "--yes");
  expect(stdout).toContain(
    "\nremoved subnet subnet-1 (site-vpc, 10.77.0.0/24, vpc-1)\nremoved VPC vpc-1 (site-vpc, 10.77.0.0/24)\n",
  );
  expect([failure, ec2.changes]).toEqual([undefined, ["DeleteSubnet subnet-1", "DeleteVpc vpc-1"]]);
  expect((await sweep(...onEc2)).stdout).toBe("nothing was left behind\n");
});

test("asks EC2 only where it is told to, and refuses what it cannot follow", async () => {
  expect(await sweep()).toEqual({ stdout: "nothing was left behind\n", failure: undefined });
  expect((await sweep("--ec2")).failure).toBe(
    "invalid-option: --ec2 needs a region. Give one with --region, such as eu-central-1, or set AWS_REGION.",
  );
  expect((await sweep("--stack", "p/s")).failure).toBe(
    "invalid-option: --stack is one on EC2. Give --ec2 with it, or leave it out.",
  );
});
