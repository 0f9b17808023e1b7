/**
 * A stand-in for the official aws plug-in (pulumi-resource-aws), for tests: its instances are machines of the twin on this
 * very computer. It carries a small part of EC2, refuses what EC2 would refuse in EC2's words, and says plainly what it
 * does not carry. Nothing it does leaves this computer. Its state lies in the folder GATEBENCH_TWIN_STATE names.
 */
import { createRequire } from "node:module";
import { empty, serve } from "../../../tools/pulumi/plugin.mjs";
import { changedPaths, hasUnknown, UNKNOWN, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { get, put, remove as forget, state } from "./cloud.mjs";
import { inputFaults } from "./inputs.mjs";
import { invokes, notAnswered } from "./invokes.mjs";
import { ownName, resources } from "./resources.mjs";

const require = createRequire(import.meta.url);
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");

/** That of the SDK whose resources it carries. */
const { version: VERSION } = require("@pulumi/aws/package.json");
const NO_REGION =
  "Missing region information. Make sure you have set your AWS region, e.g. `pulumi config set aws:region us-west-2`.";

export function serveAwsPlugin() {
  serve({ service: ResourceProviderService, handlers, version: VERSION, end: async () => undefined });
}

/** As configured: one process serves one provider. */
let account = { region: undefined, defaultTags: {} };

/** @type {Record<string, import("../../../tools/pulumi/plugin.mjs").Handler>} */
const handlers = {
  handshake: () => new messages.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptResources(true),
  attach: () => empty(),
  getSchema: () => new messages.GetSchemaResponse().setSchema(JSON.stringify({ name: "aws", version: VERSION })),
  checkConfig: (request) => new messages.CheckResponse().setInputs(request.getNews()),
  diffConfig,
  configure,
  check,
  diff,
  create,
  read,
  update,
  delete: remove,
  invoke,
  cancel: () => empty(),
};

function configure(request) {
  state();
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const { region = AWS_REGION ?? AWS_DEFAULT_REGION, defaultTags } = unwrapped(fields(request.getArgs()));
  account = { region, defaultTags: defaultTags ? (JSON.parse(defaultTags).tags ?? {}) : {} };
  if (!region) throw new Error(NO_REGION);
  return new messages.ConfigureResponse().setAcceptsecrets(true).setAcceptresources(true).setSupportspreview(true);
}

/** Another region is another place: all that stands in the old one is made anew. */
function diffConfig(request) {
  const changed = fields(request.getOldInputs()).region !== fields(request.getNews()).region;
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse().setChanges(changed ? DIFF_SOME : DIFF_NONE);
  return changed ? response.setReplacesList(["region"]).setDiffsList(["region"]) : response;
}

function check(request) {
  const type = typeOf(request.getUrn());
  const given = Object.fromEntries(Object.entries(fields(request.getNews())).filter(([, value]) => value !== null));
  const resource = resources[type];
  if (!resource) throw notAnswered("resource", type, Object.keys(resources));
  const inputs = named(resource, given, fields(request.getOlds()), nameOf(request.getUrn()));
  const open = unwrapped(given);
  const faults = [...inputFaults(type, resource, open), ...(hasUnknown(open) ? [] : (resource.faults?.(open) ?? []))];
  const failures = faults.map(([property, reason]) =>
    new messages.CheckFailure().setProperty(property).setReason(reason),
  );
  return new messages.CheckResponse().setInputs(struct(inputs)).setFailuresList(failures);
}

/** What has no name gets one of its own and keeps it; `__defaults` notes that nobody has chosen it. */
function named({ named: property }, given, olds, name) {
  if (!property || property in given || `${property}Prefix` in given) return { ...given, __defaults: [] };
  const kept = olds.__defaults?.includes(property) ? olds[property] : undefined;
  return { ...given, [property]: kept ?? ownName(name), __defaults: [property] };
}

function diff(request) {
  const [before, after] = [fields(request.getOldInputs()), fields(request.getNews())];
  const resource = resources[typeOf(request.getUrn())];
  const ignored = request.getIgnorechangesList();
  const isCounted = ({ property }) => !property.startsWith("__") && !ignored.includes(property);
  const changes = changedPaths(before, after).filter(isCounted);
  const properties = [...new Set(changes.map(({ property }) => property))];
  const replacing = [...resource.replaces, ...(resource.alsoReplaces?.(unwrapped(before), unwrapped(after)) ?? [])];
  const replaces = properties.filter((property) => replacing.includes(property));
  return diffResponse(changes, properties, replaces, isFixedName(resource, after));
}

/** Two of one chosen name cannot exist at once. */
const isFixedName = ({ named: property }, inputs) => property !== undefined && !inputs.__defaults?.includes(property);

function diffResponse(changes, properties, replaces, deletesFirst) {
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(properties)
    .setReplacesList(replaces)
    .setDeletebeforereplace(replaces.length > 0 && deletesFirst)
    .setHasdetaileddiff(true);
  const { Kind } = messages.PropertyDiff;
  for (const { path, property, kind } of changes) {
    const detail = new messages.PropertyDiff().setKind(Kind[replaces.includes(property) ? `${kind}_REPLACE` : kind]);
    response.getDetaileddiffMap().set(path, detail);
  }
  return response;
}

async function create(request) {
  const type = typeOf(request.getUrn());
  const resource = resources[type];
  const inputs = fields(request.getProperties());
  if (request.getPreview()) {
    return new messages.CreateResponse().setProperties(struct({ ...unknownOutputs(resource), ...ownInputs(inputs) }));
  }
  const open = ownInputs(unwrapped(inputs));
  const { id, ...outputs } = await resource.create(open, contextOf(open));
  const known = { ...outputs, ...tagged(inputs) };
  await put({ id, type, inputs: open, outputs: unwrapped(known) });
  return new messages.CreateResponse().setId(id).setProperties(struct({ ...ownInputs(inputs), ...known }));
}

const unknownOutputs = ({ outputs }) => Object.fromEntries([...outputs, "tagsAll"].map((name) => [name, UNKNOWN]));
/** Without what only `diff` has to know. */
const ownInputs = (inputs) => Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));
const tagged = ({ tags = {} }) => ({ tagsAll: { ...account.defaultTags, ...tags } });
const contextOf = ({ region = account.region }) => ({ region });

async function read(request) {
  const type = typeOf(request.getUrn());
  const resource = resources[type];
  const entry = await get(type, request.getId());
  const outputs = entry && (resource.read ? await resource.read(entry) : {});
  if (!outputs) {
    await forget(type, request.getId());
    return new messages.ReadResponse(); // Without an id: it is gone.
  }
  const properties = { ...fields(request.getProperties()), ...outputs };
  return new messages.ReadResponse().setId(entry.id).setInputs(request.getInputs()).setProperties(struct(properties));
}

async function update(request) {
  const type = typeOf(request.getUrn());
  const resource = resources[type];
  const inputs = fields(request.getNews());
  const previous = ownOutputs(resource, fields(request.getOlds()));
  if (request.getPreview())
    return new messages.UpdateResponse().setProperties(struct({ ...previous, ...ownInputs(inputs) }));
  const entry = await get(type, request.getId());
  if (!entry) throw new Error(`${request.getId()} does not exist any more. Type: pulumi refresh`);
  const open = ownInputs(unwrapped(inputs));
  const changed = resource.update ? await resource.update(entry, open, contextOf(open)) : {};
  const known = { ...previous, ...changed, ...tagged(inputs) };
  await put({ ...entry, inputs: open, outputs: { ...entry.outputs, ...unwrapped(known) } });
  return new messages.UpdateResponse().setProperties(struct({ ...known, ...ownInputs(inputs) }));
}

const ownOutputs = ({ outputs }, state) =>
  Object.fromEntries(Object.entries(state).filter(([name]) => outputs.includes(name) || name === "tagsAll"));

async function remove(request) {
  const type = typeOf(request.getUrn());
  const resource = resources[type];
  const entry = await get(type, request.getId());
  if (entry) await resource.remove?.(entry);
  await forget(type, request.getId());
  return empty();
}

async function invoke(request) {
  const answer = invokes[request.getTok()];
  if (!answer) throw notAnswered("function", request.getTok(), Object.keys(invokes));
  const args = unwrapped(fields(request.getArgs()));
  return new messages.InvokeResponse().setReturn(struct(await answer(args, args.region ?? account.region)));
}

const fields = (message) => message?.toJavaScript() ?? {};
const struct = (value) => Struct.fromJavaScript(withoutUndefined(value));
/** Struct has no word for it. */
const withoutUndefined = (value) => JSON.parse(JSON.stringify(value));
/** urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME */
const nameOf = (urn) => urn.split("::").slice(3).join("::");
const typeOf = (urn) => urn.split("::")[2].split("$").at(-1);
