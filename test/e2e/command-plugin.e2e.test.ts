/**
 * What gatebench relies on in `command.local.Command`, as laws about one stack's life on the real engine. They hold for
 * whichever plug-in the engine finds: the official one, or the stand-in of tools/pulumi.
 *
 * The stack lives once, before the tests; each test reads a law from its record.
 */
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { type EngineEvent, LocalWorkspace, type OutputMap, type Stack } from "@pulumi/pulumi/automation";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

jest.setTimeout(60_000);

const SECRET = "correct-horse-battery";
const CHAIN_LENGTH = 20;
const CHAIN_STEP_MS = 100;

const directory = mkdtempSync(join(tmpdir(), "gatebench-command-plugin-"));
const log = join(directory, "log");
/** A shell line that notes what runs, in order of running. */
const note = (text: string) => `echo "${text}" >> ${log}`;
const constantFailure = "cat > /dev/null; echo on stdout; echo on stderr >&2; exit 3";

/** One resource per law. `edition` is what changes between the stack's first and second edition. */
function resources(edition: "first" | "second", hasLeavers: boolean) {
  new local.Command("replaced", {
    create: note("replaced create"),
    update: note("replaced update"),
    delete: note("replaced delete"),
    triggers: [edition],
  });
  new local.Command(
    "deleted-first",
    { create: note("deleted-first create"), delete: note("deleted-first delete"), triggers: [edition] },
    { deleteBeforeReplace: true },
  );
  const updated = new local.Command("updated", {
    create: `${note("updated create")}; echo made`,
    update: `${note("updated update after $PULUMI_COMMAND_STDOUT")}; echo renewed`,
    environment: { EDITION: edition },
  });
  const rerun = new local.Command("rerun", {
    create: `${note("rerun create after [$PULUMI_COMMAND_STDOUT]")}; echo $EDITION`,
    environment: { EDITION: edition },
    addPreviousOutputInEnv: false,
  });
  const idle = new local.Command("idle", { delete: note("idle delete"), environment: { EDITION: edition } });
  const echoed = new local.Command("echoed", {
    create: "rev",
    stdin: pulumi.secret(SECRET),
    environment: { HIDDEN: pulumi.secret(SECRET) },
    logging: "none",
  });
  const trimmed = new local.Command("trimmed", { create: "printf 'one\\n\\n'; printf ' two \\n' >&2" });
  const environment = new local.Command("environment", {
    create: 'echo "$ADDED ${PATH:+kept}"',
    environment: { ADDED: "added" },
  });
  const elsewhere = new local.Command("elsewhere", {
    create: "pwd; echo $-",
    dir: directory,
    interpreter: ["/bin/sh", "-u", "-c"],
  });
  new local.Command("loud", {
    create: "echo loud-1 >&2; echo loud-out; sleep 0.6; echo loud-2 >&2",
    logging: "stderr",
  });
  new local.Command("quiet", { create: "echo quiet-out; echo quiet-err >&2", logging: "none" });
  if (hasLeavers) leavers();
  const outputs = { echoed, trimmed, environment, elsewhere, updated, rerun, idle };
  const entries = Object.entries(outputs).map(([name, { id, stdout, stderr }]) => [
    name,
    pulumi.all({ id, stdout, stderr }),
  ]);
  return Object.fromEntries(entries);
}

/** Resources of the first edition only. */
function leavers() {
  new local.Command("stored", {
    create: "true",
    delete: note("stored delete $KEPT $(cat)"),
    environment: { KEPT: "environment" },
    stdin: "stdin",
  });
  const house = new local.Command("house", { create: "true", delete: note("house delete") });
  new local.Command("guest", { create: "true", delete: note("guest delete") }, { deletedWith: house });
}

function chain() {
  let last: pulumi.Output<string> = pulumi.output("0");
  for (let link = 1; link <= CHAIN_LENGTH; link++) {
    last = new local.Command(`link-${link}`, { create: pulumi.interpolate`echo ${last} ${link}`, logging: "none" })
      .stdout;
  }
  return { last };
}

interface Act {
  ran: string[];
  text: string;
  events: { event: EngineEvent; atMs: number }[];
  changes: Record<string, number>;
  outputs: OutputMap;
  state: { resources?: { urn: string; id?: string; outputs?: Record<string, unknown> }[] };
  error?: Error;
}

interface Actor {
  stack: Stack;
  stateFile: string;
}

async function actor(projectName: string, program: () => object): Promise<Actor> {
  const home = join(directory, projectName);
  mkdirSync(home);
  const envVars = {
    PULUMI_BACKEND_URL: `file://${home}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const options = { projectName, stackName: "laws", program: async () => program() as Record<string, unknown> };
  const stack = await LocalWorkspace.createStack(options, { envVars, workDir: home });
  return { stack, stateFile: join(home, ".pulumi/stacks", projectName, "laws.json") };
}

async function act({ stack, stateFile }: Actor, step: "preview" | "up" | "destroy"): Promise<Act> {
  writeFileSync(log, "");
  const events: Act["events"] = [];
  let text = "";
  const result = await stack[step]({
    onOutput: (part) => void (text += part),
    onEvent: (event) => void events.push({ event, atMs: Date.now() }),
  }).catch((error: Error) => error);
  const failed = result instanceof Error;
  return {
    ran: readFileSync(log, "utf8").split("\n").filter(Boolean),
    text,
    events,
    changes: failed || !("summary" in result) ? {} : { ...result.summary.resourceChanges },
    outputs: failed || !("outputs" in result) ? {} : (result.outputs as OutputMap),
    // As it lies on the disk: exportStack() decrypts.
    state: JSON.parse(readFileSync(stateFile, "utf8")).checkpoint.latest ?? {},
    ...(failed && { error: result }),
  };
}

/** What people see. Debug messages, which the SDK's typings do not know of, show every input in clear. */
const messages = (record: Act) =>
  record.events.flatMap(({ event: { diagnosticEvent }, atMs }) =>
    !diagnosticEvent || (diagnosticEvent.severity as string) === "debug" ? [] : [{ ...diagnosticEvent, atMs }],
  );
const value = (record: Act, name: string) =>
  record.outputs[name]?.value as { id: string; stdout: string; stderr: string };
const operations = (record: Act, name: string) =>
  record.events.flatMap(({ event: { resOutputsEvent } }) =>
    resOutputsEvent?.metadata.urn.endsWith(`::${name}`) ? [resOutputsEvent.metadata.op] : [],
  );
const doneMs = (record: Act, name: string) =>
  record.events.find(({ event }) => event.resOutputsEvent?.metadata.urn.endsWith(`::${name}`))?.atMs ?? NaN;
const stateNames = (record: Act) => (record.state.resources ?? []).map(({ urn }) => urn.split("::").at(-1));

let preview: Act, first: Act, again: Act, second: Act, gone: Act, failed: Act, chained: Act;

beforeAll(async () => {
  let program: () => object = () => resources("first", true);
  const laws = await actor("laws", () => program());
  preview = await act(laws, "preview");
  first = await act(laws, "up");
  again = await act(laws, "up");
  program = () => resources("second", false);
  second = await act(laws, "up");
  gone = await act(laws, "destroy");
  failed = await act(
    await actor("failing", () => {
      new local.Command("failing", { create: constantFailure, stdin: pulumi.secret(SECRET), logging: "none" });
      return {};
    }),
    "up",
  );
  chained = await act(await actor("chain", chain), "up");
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("what runs", () => {
  test("a preview runs nothing", () => {
    expect(preview.error).toBeUndefined();
    expect(preview.ran).toEqual([]);
  });

  test("a create runs create, once", () => {
    expect(first.error).toBeUndefined();
    expect([...first.ran].sort()).toEqual(
      ["deleted-first create", "replaced create", "rerun create after []", "updated create"].sort(),
    );
  });

  test("a second up runs nothing", () => {
    expect(again.ran).toEqual([]);
    expect(Object.keys(again.changes)).toEqual(["same"]);
  });

  test("a changed trigger replaces, even where update is given: create first, then delete of the old one", () => {
    expect(second.ran.filter((line) => line.startsWith("replaced"))).toEqual(["replaced create", "replaced delete"]);
    expect(operations(second, "replaced")).toContain("create-replacement");
  });

  test("deleteBeforeReplace turns that order around", () => {
    const lines = second.ran.filter((line) => line.startsWith("deleted-first"));
    expect(lines).toEqual(["deleted-first delete", "deleted-first create"]);
  });

  test("any other changed input updates in place: update runs, with the previous output in its environment", () => {
    expect(second.ran).toContain("updated update after made");
    expect(operations(second, "updated")).toEqual(["update"]);
    expect(value(second, "updated").id).toBe(value(first, "updated").id);
    expect(value(second, "updated").stdout).toBe("renewed");
  });

  test("without update the update runs create, and addPreviousOutputInEnv: false keeps the environment clean", () => {
    expect(second.ran).toContain("rerun create after []");
    expect(value(second, "rerun")).toMatchObject({ id: value(first, "rerun").id, stdout: "second" });
  });

  test("without create and update nothing runs and the output is empty", () => {
    expect(value(first, "idle")).toMatchObject({
      id: expect.stringMatching(/^idle[0-9a-f]{8}$/),
      stdout: "",
      stderr: "",
    });
    expect(operations(second, "idle")).toEqual(["update"]);
  });

  test("delete runs with the inputs in the state, also when the program no longer declares the resource", () => {
    expect(second.ran).toContain("stored delete environment stdin");
  });

  test("deletedWith skips the delete when the other resource is deleted too", () => {
    expect(second.ran).toContain("house delete");
    expect(second.ran).not.toContain("guest delete");
    expect(stateNames(second)).not.toContain("guest");
  });

  test("a destroy runs every delete, once", () => {
    expect(gone.error).toBeUndefined();
    expect([...gone.ran].sort()).toEqual(["deleted-first delete", "idle delete", "replaced delete"]);
  });
});

describe("what a command sees", () => {
  test("stdin reaches the command, secret or not", () => {
    expect(value(first, "echoed").stdout).toBe([...SECRET].reverse().join(""));
  });

  test("environment is added to the engine's own", () => {
    expect(value(first, "environment").stdout).toBe("added kept");
  });

  test("dir and interpreter are obeyed", () => {
    expect(value(first, "elsewhere").stdout).toMatch(new RegExp(`^${directory}\n.*u`));
  });
});

describe("what is kept", () => {
  test("exactly one trailing newline is trimmed from stdout and stderr", () => {
    expect(value(first, "trimmed")).toMatchObject({ stdout: "one\n", stderr: " two " });
  });

  test("stdout is plain, also with a secret stdin", () => {
    expect(first.outputs["echoed"]?.secret).toBe(false);
    const stored = first.state.resources?.find(({ urn }) => urn.endsWith("::echoed"));
    expect(stored?.outputs?.["stdout"]).toBe([...SECRET].reverse().join(""));
  });

  test("a secret stdin and a secret in environment stay secret in the state", () => {
    expect(JSON.stringify(first.state).includes(SECRET)).toBe(false);
    const stored = first.state.resources?.find(({ urn }) => urn.endsWith("::echoed"));
    expect(stored?.outputs).toMatchObject({ stdin: { ciphertext: expect.any(String) } });
  });

  test("a secret stdin appears nowhere in what the engine prints", () => {
    for (const record of [preview, first, again, second, gone, failed]) {
      expect(record.text).not.toContain(SECRET);
      expect(JSON.stringify(messages(record))).not.toContain(SECRET);
    }
  });
});

describe("what is shown", () => {
  test("lines of a logged stream arrive as ephemeral messages of their resource while the command runs", () => {
    const lines = messages(first).filter(({ message, ephemeral }) => ephemeral && message.includes("loud-"));
    expect(lines.map(({ message }) => message.trim())).toEqual(["loud-1", "loud-2"]);
    expect(lines.every(({ urn }) => urn?.endsWith("::loud"))).toBe(true);
    expect(doneMs(first, "loud") - (lines[0]?.atMs ?? NaN)).toBeGreaterThan(400);
  });

  test("logging: none shows nothing", () => {
    expect(JSON.stringify(messages(first))).not.toContain("quiet-");
    expect(first.text).not.toContain("quiet-");
  });
});

describe("a failing create", () => {
  test("fails the up with its exit status, its text and its output", () => {
    const text = messages(failed)
      .map(({ message }) => message)
      .join("");
    expect(failed.error).toBeDefined();
    expect(text).toContain(`exit status 3: running ${JSON.stringify(constantFailure)}:`);
    expect(text).toContain("on stdout");
    expect(text).toContain("on stderr");
  });

  test("says nothing of a secret stdin", () => {
    expect(failed.error?.message).not.toContain(SECRET);
  });

  test("leaves no resource in the state", () => {
    expect(stateNames(failed)).not.toContain("failing");
  });
});

test(`a chain of ${CHAIN_LENGTH} commands costs at most ${CHAIN_STEP_MS} ms a command`, () => {
  expect(chained.outputs["last"]?.value).toMatch(/^0 1 2 .* 20$/);
  const stepMs = (doneMs(chained, `link-${CHAIN_LENGTH}`) - doneMs(chained, "link-1")) / (CHAIN_LENGTH - 1);
  expect(stepMs).toBeLessThanOrEqual(CHAIN_STEP_MS);
});
