/**
 * A stand-in for the official command plug-in (pulumi-resource-command 1.2.1), for machines that reach package
 * registries only: the official one is published as a release download and in no registry. It serves
 * command:local:Command and command:remote:Command and keeps to what the official one does, flaws that cost runs excepted:
 * test/e2e/command-plugin.e2e.test.ts holds either of them to the same laws.
 *
 * Differences, on purpose: a cancelled command is asked to end (SIGTERM to all it started, SIGKILL after 2 s) instead of
 * its shell alone being killed; a line of 64 KiB is cut in the display instead of hanging the command; of a long
 * command or output, an error shows the first 8,000 and the last 12,000 bytes; assetPaths and archivePaths are refused.
 * Remote commands go through this machine's ssh with a private key; environments, previous output in them, proxies,
 * passwords and agents are refused.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { logTo } from "./engine-log.mjs";
import { empty, serve } from "./plugin.mjs";
import { changedPaths, hasUnknown, UNKNOWN, unwrapped } from "./property-values.mjs";
import { endCommands, runCommand, runRemoteCommand } from "./shell-command.mjs";

const require = createRequire(import.meta.url);
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");

const VERSION = "1.2.1";
const COMMAND = "command:local:Command";
const REMOTE = "command:remote:Command";
const ACCEPTED = { acceptSecrets: true, acceptResources: true, acceptOutputs: false };

export function serveCommandPlugin() {
  serve({ service: ResourceProviderService, handlers, version: VERSION, end: endCommands });
}

/** @type {Record<string, import("./plugin.mjs").Handler>} */
const handlers = {
  handshake: (request) => {
    logTo(request.getEngineAddress());
    return filled(new messages.ProviderHandshakeResponse(), ACCEPTED);
  },
  attach: (request) => {
    logTo(request.getAddress());
    return empty();
  },
  getSchema: () => new messages.GetSchemaResponse().setSchema(JSON.stringify({ name: "command", version: VERSION })),
  checkConfig: (request) => new messages.CheckResponse().setInputs(request.getNews()),
  diffConfig: () => new messages.DiffResponse().setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE),
  configure: () =>
    new messages.ConfigureResponse().setAcceptsecrets(true).setAcceptresources(true).setSupportspreview(true),
  check,
  diff,
  create,
  read: (request) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  update,
  delete: remove,
  cancel: async () => {
    await endCommands();
    return empty();
  },
};

function check(request) {
  const given = Object.entries(fields(request.getNews())).filter(([, value]) => value !== null);
  const inputs = Object.fromEntries(given);
  const faults = inputFaults(typeOf(request.getUrn()), unwrapped(inputs));
  const failures = faults.map(([property, reason]) => filled(new messages.CheckFailure(), { property, reason }));
  return new messages.CheckResponse().setInputs(struct(inputs)).setFailuresList(failures);
}

/** New triggers replace the resource; any other new input updates it. */
function diff(request) {
  const ignored = request.getIgnorechangesList();
  const changes = changedPaths(fields(request.getOldInputs()), fields(request.getNews()));
  const changed = changes.filter(({ property }) => !ignored.includes(property) && !property.startsWith("__"));
  const properties = [...new Set(changed.map(({ property }) => property))];
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(properties)
    .setReplacesList(properties.filter(replaces))
    .setHasdetaileddiff(true);
  for (const { path, property, kind } of changed) response.getDetaileddiffMap().set(path, propertyDiff(property, kind));
  return response;
}

const replaces = (property) => property === "triggers";

function propertyDiff(property, kind) {
  const { Kind } = messages.PropertyDiff;
  return new messages.PropertyDiff().setKind(Kind[replaces(property) ? `${kind}_REPLACE` : kind]);
}

async function create(request) {
  const inputs = fields(request.getProperties());
  const urn = request.getUrn();
  if (request.getPreview()) return new messages.CreateResponse().setProperties(struct({ ...inputs, ...unknownOutput }));
  const output = await runIfGiven("create", inputs, { urn, timeoutS: request.getTimeout() });
  const id = nameOf(urn) + randomBytes(4).toString("hex");
  return new messages.CreateResponse().setId(id).setProperties(struct({ ...inputs, ...noOutput, ...output }));
}

async function update(request) {
  const inputs = fields(request.getNews());
  const state = fields(request.getOlds());
  const previous = outputOf(state);
  if (request.getPreview()) {
    const output = changesOutput(inputs, state) ? unknownOutput : previous;
    return new messages.UpdateResponse().setProperties(struct({ ...inputs, ...output }));
  }
  const step = inputs.update === undefined ? "create" : "update";
  const circumstances = { urn: request.getUrn(), timeoutS: request.getTimeout(), previous };
  const output = await runIfGiven(step, inputs, circumstances);
  return new messages.UpdateResponse().setProperties(struct({ ...inputs, ...previous, ...output }));
}

/** An input that is new altogether leaves a preview's output known: so it is in the official plug-in. */
function changesOutput(inputs, state) {
  const known = Object.keys({ ...inputTypes, ...remoteTypes }).filter((name) => name in state);
  return hasUnknown(inputs) || known.some((name) => !isDeepStrictEqual(inputs[name], state[name]));
}

/** Works on what was stored: the program that declared the resource may be gone. */
async function remove(request) {
  const stored = fields(request.getProperties());
  const circumstances = { urn: request.getUrn(), timeoutS: request.getTimeout(), previous: outputOf(stored) };
  await runIfGiven("delete", stored, circumstances);
  return empty();
}

/** A command's output is never secret: only outputs named like a secret input are, and they are returned as they came. */
async function runIfGiven(step, wrappedInputs, circumstances) {
  const inputs = unwrapped(wrappedInputs);
  const run = typeOf(circumstances.urn) === REMOTE ? runRemoteCommand : runCommand;
  return inputs[step] === undefined ? undefined : run(inputs[step], inputs, circumstances);
}

const noOutput = { stdout: "", stderr: "" };
const unknownOutput = { stdout: UNKNOWN, stderr: UNKNOWN };
const outputOf = (state) => {
  const { stdout = "", stderr = "" } = unwrapped(state);
  return { stdout, stderr };
};

const isText = (value) => typeof value === "string";
const isTexts = (value) => Array.isArray(value) && value.every(isText);
const inputTypes = {
  create: { is: isText, name: "a string" },
  update: { is: isText, name: "a string" },
  delete: { is: isText, name: "a string" },
  stdin: { is: isText, name: "a string" },
  dir: { is: isText, name: "a string" },
  interpreter: { is: isTexts, name: "a list of strings" },
  environment: { is: (value) => isTexts(Object.values(value ?? {})), name: "a map of strings" },
  logging: { is: isText, name: "a string" },
  addPreviousOutputInEnv: { is: (value) => typeof value === "boolean", name: "a boolean" },
  triggers: { is: Array.isArray, name: "a list" },
  assetPaths: { is: () => false, name: "left out: the stand-in of the command plug-in collects no files" },
  archivePaths: { is: () => false, name: "left out: the stand-in of the command plug-in collects no files" },
};

const connectionTypes = ["host", "port", "user", "privateKey", "hostKey", "dialErrorLimit", "perDialTimeout"];
const isConnection = (value) =>
  isText(value?.host) && isText(value.privateKey) && Object.keys(value).every((name) => connectionTypes.includes(name));
const remoteTypes = {
  ...Object.fromEntries(
    ["create", "update", "delete", "stdin", "logging", "triggers"].map((name) => [name, inputTypes[name]]),
  ),
  connection: { is: isConnection, name: `{ ${connectionTypes.join(", ")} } with a host and a private key` },
  addPreviousOutputInEnv: { is: (value) => value === false, name: "false: the stand-in sends no environment" },
};
const typesOf = { [COMMAND]: inputTypes, [REMOTE]: remoteTypes };

function inputFaults(type, inputs) {
  const types = typesOf[type];
  if (!types)
    return [["", `the stand-in of the command plug-in serves ${Object.keys(typesOf).join(" and ")} only, not ${type}`]];
  return Object.entries(inputs)
    .filter(([name, value]) => !hasUnknown(value) && !types[name]?.is(value))
    .map(([name]) => [name, `must be ${types[name]?.name ?? "left out: a command has no such input"}`]);
}

const fields = (message) => message?.toJavaScript() ?? {};
const struct = (value) => Struct.fromJavaScript(value);
/** urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME */
const nameOf = (urn) => urn.split("::").slice(3).join("::");
const typeOf = (urn) => urn.split("::")[2].split("$").at(-1);

function filled(message, values) {
  for (const [name, value] of Object.entries(values)) message[`set${name[0].toUpperCase()}${name.slice(1)}`](value);
  return message;
}
