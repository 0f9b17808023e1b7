/**
 * A stand-in for the official kubernetes plug-in (pulumi-resource-kubernetes), for tests on machines that reach package
 * registries only. It talks to a real API server and keeps to what the official one does with objects, in its words: names,
 * server-side apply, what is made anew, what is waited for, what a preview asks the server. Releases of charts are Helm's own.
 * What differs is told in the README beside it.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { logLine, logTo } from "../../../tools/pulumi/engine-log.mjs";
import { empty, grpc, serve } from "../../../tools/pulumi/plugin.mjs";
import { changedPaths, hasUnknown, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { isNotFound, isNoMatch, openApi } from "./api.mjs";
import { NotReady } from "./await.mjs";
import { replacing } from "./force-new.mjs";
import { accessOf, clusterOf } from "./kubeconfig.mjs";
import { idOf, named, placed, placeIn } from "./naming.mjs";
import { created, EXISTS_ADVICE, isExcused, isInTheWay, isOpen, removed, updated } from "./objects.mjs";
import * as release from "./release.mjs";
import { guarded, marked } from "./secrecy.mjs";
import { normalized, pruned } from "./shape.mjs";

const require = createRequire(import.meta.url);
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Status } = require("@pulumi/pulumi/proto/status_pb.js");
const { Any } = require("google-protobuf/google/protobuf/any_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");

/** That of the SDK whose resources it carries. */
const { version: VERSION } = require("@pulumi/kubernetes/package.json");
const RELEASE = "kubernetes:helm.sh/v3:Release";
const MANAGER = "__fieldManager";
/** Provider arguments that change what it does with objects, and what the stand-in does about them. */
const REFUSED = {
  enableServerSideApply: { is: (value) => value !== false, advice: "it applies on the server only" },
  renderYamlToDirectory: { is: (value) => value === undefined, advice: "it renders no files" },
  skipUpdateUnreachable: { is: (value) => value !== true, advice: "an unreachable cluster is an error" },
};

const cancellation = new AbortController();

export function serveKubernetesPlugin() {
  serve({ service: ResourceProviderService, handlers, version: VERSION, end: async () => cancellation.abort() });
}

/**
 * As configured: one process serves one provider.
 * @type {{ api?: ReturnType<typeof openApi>, access?: import("./kubeconfig.mjs").Access, unreachable?: string, namespace: string,
 *   deleteUnreachable: boolean, upserts: boolean, mutability: import("./force-new.mjs").Mutability }}
 */
let cluster;

/** @type {Record<string, import("../../../tools/pulumi/plugin.mjs").Handler>} */
const handlers = {
  handshake: (request) => {
    logTo(request.getEngineAddress());
    return new messages.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptResources(true);
  },
  attach: (request) => {
    logTo(request.getAddress());
    return empty();
  },
  getSchema: () => new messages.GetSchemaResponse().setSchema(JSON.stringify({ name: "kubernetes", version: VERSION })),
  checkConfig,
  diffConfig,
  configure,
  check: (request) => (isRelease(request) ? checkRelease(request) : check(request)),
  diff: (request) => (isRelease(request) ? diffRelease(request) : diff(request)),
  create: (request) => (isRelease(request) ? createRelease(request) : create(request)),
  read: (request) => (isRelease(request) ? readRelease(request) : read(request)),
  update: (request) => (isRelease(request) ? updateRelease(request) : update(request)),
  delete: (request) => (isRelease(request) ? removeRelease(request) : remove(request)),
  cancel: () => {
    cancellation.abort();
    return empty();
  },
};

const isRelease = (request) => typeOf(request.getUrn()) === RELEASE;

// The provider itself.

function checkConfig(request) {
  const given = settings(fields(request.getNews()));
  const refused = Object.entries(REFUSED).filter(([name, { is }]) => !is(given[name]));
  const failures = refused.map(([property, { advice }]) =>
    failure(property, `the stand-in of the kubernetes plug-in has no such way: ${advice}. Leave it out`),
  );
  return new messages.CheckResponse().setInputs(request.getNews()).setFailuresList(failures);
}

/** Another cluster is another place: all that stands in the old one is made anew. */
function diffConfig(request) {
  const [before, after] = [settings(fields(request.getOldInputs())), settings(fields(request.getNews()))];
  const changed = changedPaths(before, after).map(({ property }) => property);
  const which = ["kubeconfig", "context", "cluster"];
  const moved = which.some((name) => hasUnknown(after[name])) || (changed.length > 0 && isElsewhere(before, after));
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  return new messages.DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(changed)
    .setReplacesList(moved ? changed.filter((name) => which.includes(name)) : []);
}

function isElsewhere(before, after) {
  const [old, next] = [before, after].map((one) => clusterOf(one.kubeconfig, one));
  return old !== undefined && next !== undefined && old !== next;
}

async function configure(request) {
  const given = settings(fields(request.getArgs()));
  cluster = {
    namespace: given.namespace || "default",
    deleteUnreachable: given.deleteUnreachable === true || process.env.PULUMI_K8S_DELETE_UNREACHABLE === "true",
    upserts: given.upsertExistingObjects === true,
    mutability: {
      configMapMutable: given.enableConfigMapMutable === true,
      secretMutable: given.enableSecretMutable === true,
    },
    ...(await reached(given)),
  };
  return new messages.ConfigureResponse().setAcceptsecrets(true).setAcceptresources(true).setSupportspreview(true);
}

async function reached({ kubeconfig, context, cluster: name }) {
  if (hasUnknown({ kubeconfig, context, name })) return { unreachable: "its kubeconfig is not known yet" };
  try {
    const access = accessOf(kubeconfig, { context, cluster: name });
    const api = openApi(access);
    await api.version();
    return { access, api };
  } catch (error) {
    return { unreachable: error.message || String(error.code ?? error) };
  }
}

/** What is no text comes as JSON, as every provider's arguments do. */
function settings(given) {
  const open = unwrapped(given);
  const read = ([name, value]) => [name, value === "true" ? true : value === "false" ? false : value];
  return Object.fromEntries(Object.entries(open).map(read));
}

// Objects.

async function check(request) {
  const [type, name] = [typeOf(request.getUrn()), nameOf(request.getUrn())];
  const given = withoutNothing(fields(request.getNews()));
  const failures = [
    ...kindFaults(type),
    ...(given.apiVersion && given.kind ? [] : [["kind", "apiVersion and kind are required"]]),
  ];
  if (failures.length > 0)
    return new messages.CheckResponse()
      .setInputs(request.getNews())
      .setFailuresList(failures.map((one) => failure(...one)));
  const asked = request.getAutonaming?.();
  const wish = asked && { mode: asked.getMode(), proposedName: asked.getProposedName() };
  const inputs = placed(
    named(given, fields(request.getOlds()), name, wish),
    cluster.namespace,
    await isNamespaced(given),
  );
  return new messages.CheckResponse().setInputs(struct(guarded(inputs)));
}

function kindFaults(type) {
  const kind = type.split(":").at(-1);
  if (kind.endsWith("Patch") || kind.endsWith("List"))
    return [
      ["kind", `the stand-in of the kubernetes plug-in carries objects, no ${kind}: give each object its own resource`],
    ];
  return [];
}

/** A kind that is not there yet is taken for one that has a namespace: so it is in the official plug-in. */
async function isNamespaced({ apiVersion, kind }) {
  if (!cluster.api) return true;
  return cluster.api.isNamespaced(apiVersion, kind).catch((error) => {
    if (isNoMatch(error)) return true;
    throw error;
  });
}

/** What the cluster had when last seen, cut to what was asked for, against what is asked for now. */
async function diff(request) {
  const live = ownFields(unwrapped(fields(request.getOlds())));
  const [asked, next] = [unwrapped(fields(request.getOldInputs())), unwrapped(fields(request.getNews()))];
  const ignored = request.getIgnorechangesList();
  const changes = changedPaths(
    normalized(pruned(normalizedSecret(live), normalizedSecret(asked))),
    normalized(next),
  ).filter(
    ({ path }) => !ignored.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`)),
  );
  const replaces = changes.map(({ path }) => path).filter(replacing(next, cluster.mutability));
  const unready = await isUnready(next, live);
  return diffResponse(changes, [...replaces, ...unready], isInTheWay(next, live));
}

const normalizedSecret = (object) => (object.kind === "Secret" ? normalized(object) : object);

/** A Job that has failed is made anew where it asks for that. */
async function isUnready(next, live) {
  const asks = next.metadata?.annotations?.["pulumi.com/replaceUnready"] === "true" && next.kind === "Job";
  const job = asks && cluster.api && (await cluster.api.get(live).catch(() => undefined));
  const isDone = job?.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True");
  return job && !isDone ? ['metadata.annotations["pulumi.com/replaceUnready"]'] : [];
}

function diffResponse(changes, replaces, deletesFirst) {
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes.length + replaces.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList([...new Set(changes.map(({ property }) => property))])
    .setReplacesList(replaces)
    .setDeletebeforereplace(replaces.length > 0 && deletesFirst)
    .setHasdetaileddiff(true);
  const { Kind } = messages.PropertyDiff;
  for (const { path, kind } of changes) {
    const detail = new messages.PropertyDiff().setKind(Kind[replaces.includes(path) ? `${kind}_REPLACE` : kind]);
    response.getDetaileddiffMap().set(path, detail);
  }
  return response;
}

async function create(request) {
  const inputs = fields(request.getProperties());
  const [object, preview, urn] = [unwrapped(inputs), request.getPreview(), request.getUrn()];
  if (preview && (!cluster.api || (await isOpen(object, cluster.api))))
    return new messages.CreateResponse().setProperties(request.getProperties());
  requireCluster();
  const manager = `pulumi-kubernetes-${randomBytes(4).toString("hex")}`;
  const keep = (live) => kept(live, inputs, manager);
  try {
    const live = await created(object, circumstances(request, { preview, manager }));
    if (preview) return new messages.CreateResponse().setProperties(keep(withoutStatus(live)));
    return new messages.CreateResponse().setId(idOf(live.metadata ? live : object)).setProperties(keep(live));
  } catch (error) {
    if (preview && isExcused(error)) return new messages.CreateResponse().setProperties(request.getProperties());
    throw createFault(error, object, urn, keep);
  }
}

function createFault(error, object, urn, keep) {
  if (error instanceof NotReady) {
    const text = `resource ${JSON.stringify(urn)} was successfully created, but the Kubernetes API server reported that it failed to fully initialize or become live: ${error.message}`;
    return initFailed(text, error.faults, idOf(error.live), keep(error.live));
  }
  if (isNoMatch(error)) {
    const kind = `${object.apiVersion}/${object.kind}`;
    return new Error(
      `creation of resource ${JSON.stringify(urn)} with kind ${kind} failed because the Kubernetes API server reported that the apiVersion for this resource does not exist. Verify that any required CRDs have been created: ${error.message}`,
    );
  }
  const advice = error.reason === "AlreadyExists" ? EXISTS_ADVICE : "";
  return new Error(
    `resource ${JSON.stringify(urn)} was not successfully created by the Kubernetes API server: ${error.message}${advice}`,
  );
}

async function update(request) {
  const inputs = fields(request.getNews());
  const state = unwrapped(fields(request.getOlds()));
  const [object, preview, urn] = [unwrapped(inputs), request.getPreview(), request.getUrn()];
  if (preview && (!cluster.api || (await isOpen(object, cluster.api))))
    return new messages.UpdateResponse().setProperties(request.getNews());
  requireCluster();
  const manager = state[MANAGER] ?? `pulumi-kubernetes-${randomBytes(4).toString("hex")}`;
  const keep = (live) => kept(live, inputs, manager);
  try {
    const live = await updated(object, circumstances(request, { preview, manager }));
    return new messages.UpdateResponse().setProperties(keep(live));
  } catch (error) {
    if (preview && error.reason === "Forbidden") return new messages.UpdateResponse().setProperties(request.getNews());
    throw updateFault(error, object, urn, keep);
  }
}

function updateFault(error, object, urn, keep) {
  if (!(error instanceof NotReady))
    return new Error(`update of resource ${JSON.stringify(urn)} failed: ${error.message}`);
  const text = `the Kubernetes API server reported that "${idOf(object)}" failed to fully initialize or become live: ${error.message}`;
  return initFailed(text, error.faults, idOf(object), keep(error.live));
}

/** What is there of an object: it may have come by other hands, as with `get` and `import`. */
async function read(request) {
  requireCluster();
  const state = fields(request.getProperties());
  const [known, inputs] = [unwrapped(state), fields(request.getInputs())];
  const { apiVersion, kind } = known.kind ? known : kindOf(request.getUrn());
  const live = await found({ apiVersion, kind, metadata: placeIn(request.getId()) });
  if (!live) return new messages.ReadResponse(); // Without an id: it is gone.
  const asked = unwrapped(inputs);
  const given = asked.kind ? marked(pruned(live, asked), inputs) : guarded(withoutServers(live));
  return new messages.ReadResponse()
    .setId(request.getId())
    .setInputs(struct(given))
    .setProperties(kept(live, inputs, known[MANAGER]));
}

async function found(object) {
  try {
    return await cluster.api.get(object);
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return undefined;
    throw error;
  }
}

async function remove(request) {
  const object = ownFields(unwrapped(fields(request.getProperties())));
  if (!cluster.api && cluster.deleteUnreachable) {
    logLine(request.getUrn(), `the cluster is unreachable, and deleteUnreachable is set: ${idOf(object)} is forgotten`);
    return empty();
  }
  if (!cluster.api)
    throw new Error(`configured Kubernetes cluster is unreachable: ${cluster.unreachable}. ${UNREACHABLE_ADVICE}`);
  try {
    await removed(object, circumstances(request));
    return empty();
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    throw initFailed(error.message, error.faults, idOf(object), kept(error.live, {}, undefined));
  }
}

const UNREACHABLE_ADVICE =
  'If the cluster was deleted, you can remove this resource from Pulumi state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"';

function requireCluster() {
  if (!cluster.api) throw new Error(`configured Kubernetes cluster is unreachable: ${cluster.unreachable}`);
}

function circumstances(request, more = {}) {
  const urn = request.getUrn();
  const lines = new Set();
  const say = (line) => void (lines.has(line) || (lines.add(line), logLine(urn, line)));
  const { api, upserts } = cluster;
  return { api, upserts, say, cancelled: cancellation.signal, timeoutS: request.getTimeout(), preview: false, ...more };
}

/** What the state has of an object: what the API server has, with our secrets hidden. */
const kept = (live, inputs, manager) => struct({ ...marked(live, inputs), ...(manager && { [MANAGER]: manager }) });

const withoutStatus = ({ status: _, ...object }) => object;
const ownFields = (state) => Object.fromEntries(Object.entries(state).filter(([name]) => !name.startsWith("__")));

/** What somebody could have written who made it by hand. */
function withoutServers({ status: _, metadata, ...object }) {
  const { name, namespace, labels, annotations } = metadata;
  return { ...object, metadata: { name, namespace, labels, annotations } };
}

/** kubernetes:apps/v1:Deployment; the core group is called core/v1 there. */
function kindOf(urn) {
  const [, apiVersion, kind] = typeOf(urn).split(":");
  return { apiVersion: apiVersion.replace(/^core\//, ""), kind };
}

// Releases of charts.

async function checkRelease(request) {
  const given = withoutNothing(fields(request.getNews()));
  const { inputs, faults } = await release.checked(given, fields(request.getOlds()), nameOf(request.getUrn()), cluster);
  return new messages.CheckResponse()
    .setInputs(struct(inputs))
    .setFailuresList(faults.map(([property, reason]) => failure(property, reason)));
}

function diffRelease(request) {
  const ignored = request.getIgnorechangesList();
  const [before, after] = [unwrapped(fields(request.getOldInputs())), unwrapped(fields(request.getNews()))];
  const changes = changedPaths(before, after).filter(({ property }) => !ignored.includes(property));
  const replaces = changes.map(({ path }) => path).filter((path) => path === "name" || path === "namespace");
  return diffResponse(changes, replaces, false);
}

async function createRelease(request) {
  const inputs = fields(request.getProperties());
  if (request.getPreview()) return new messages.CreateResponse().setProperties(struct(release.unknownOutputs(inputs)));
  requireCluster();
  const id = release.idOf(unwrapped(inputs));
  const { outputs, fault } = await release.installed(unwrapped(inputs), cluster.access);
  const state = struct({ ...inputs, ...outputs });
  if (!fault) return new messages.CreateResponse().setId(id).setProperties(state);
  const text = `Helm release "${id}" was created, but failed to initialize completely. Use Helm CLI to investigate: ${fault}`;
  throw initFailed(text, [], id, state);
}

async function updateRelease(request) {
  const inputs = fields(request.getNews());
  if (request.getPreview()) return new messages.UpdateResponse().setProperties(struct(release.unknownOutputs(inputs)));
  requireCluster();
  const id = release.idOf(unwrapped(inputs));
  const { outputs, fault } = await release.upgraded(unwrapped(inputs), cluster.access);
  const state = struct({ ...inputs, ...outputs });
  if (!fault) return new messages.UpdateResponse().setProperties(state);
  throw initFailed(
    `Helm release "${id}" failed to initialize completely. Use Helm CLI to investigate: ${fault}`,
    [],
    id,
    state,
  );
}

async function readRelease(request) {
  requireCluster();
  const state = fields(request.getProperties());
  const outputs = await release.outputsOf(placeIn(request.getId()), cluster.access);
  if (!outputs) return new messages.ReadResponse();
  return new messages.ReadResponse()
    .setId(request.getId())
    .setInputs(request.getInputs())
    .setProperties(struct({ ...state, ...outputs }));
}

async function removeRelease(request) {
  if (!cluster.api)
    throw new Error(`can't delete Helm Release with unreachable cluster. Reason: "${cluster.unreachable}"`);
  await release.uninstalled(unwrapped(fields(request.getProperties())), cluster.access);
  return empty();
}

// What the engine is told.

const failure = (property, reason) => new messages.CheckFailure().setProperty(property).setReason(reason);

/** It exists and is in the state, but is not what it should be: the next `up` goes on with it. */
function initFailed(text, faults, id, properties) {
  const detail = new messages.ErrorResourceInitFailed()
    .setId(id)
    .setProperties(properties)
    .setReasonsList([text, ...faults]);
  const packed = new Any();
  packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status();
  status.setCode(grpc.status.UNKNOWN);
  status.setMessage(text);
  status.addDetails(packed);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return Object.assign(new Error(text), { metadata });
}

const fields = (message) => message?.toJavaScript() ?? {};
const struct = (value) => Struct.fromJavaScript(JSON.parse(JSON.stringify(value)));
const withoutNothing = (given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
/** urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME */
const nameOf = (urn) => urn.split("::").slice(3).join("::");
const typeOf = (urn) => urn.split("::")[2].split("$").at(-1);
