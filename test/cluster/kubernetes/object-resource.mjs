/** Objects of any kind as resources: the engine's questions about one, answered from the API server. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { logLine } from "../../../tools/pulumi/engine-log.mjs";
import { empty } from "../../../tools/pulumi/plugin.mjs";
import { changedPaths, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { diffResponse, failure, fields, initFailed, nameOf, struct, typeOf, withoutNothing } from "./answers.mjs";
import { isNotFound, isNoMatch } from "./api.mjs";
import { NotReady } from "./await.mjs";
import { replacing } from "./force-new.mjs";
import { idOf, named, placed, placeIn } from "./naming.mjs";
import { created, EXISTS_ADVICE, isExcused, isInTheWay, isOpen, removed, updated } from "./objects.mjs";
import { cluster, requireCluster } from "./provider.mjs";
import { guarded, marked } from "./secrecy.mjs";
import { normalized, pruned } from "./shape.mjs";

const require = createRequire(import.meta.url);
const messages = require("@pulumi/pulumi/proto/provider_pb.js");

const MANAGER = "__fieldManager";
const cancellation = new AbortController();

/** Whoever waits stops waiting. */
export const cancelObjects = () => cancellation.abort();

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
    if (preview) return new messages.CreateResponse().setProperties(keep(without(live, "status")));
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

function circumstances(request, more = {}) {
  const urn = request.getUrn();
  const lines = new Set();
  const say = (line) => void (lines.has(line) || (lines.add(line), logLine(urn, line)));
  const { api, upserts } = cluster;
  return { api, upserts, say, cancelled: cancellation.signal, timeoutS: request.getTimeout(), preview: false, ...more };
}

/** What the state has of an object: what the API server has, with our secrets hidden. */
const kept = (live, inputs, manager) => struct({ ...marked(live, inputs), ...(manager && { [MANAGER]: manager }) });

const without = (object, left) => Object.fromEntries(Object.entries(object).filter(([name]) => name !== left));
const ownFields = (state) => Object.fromEntries(Object.entries(state).filter(([name]) => !name.startsWith("__")));

/** What somebody could have written who made it by hand. */
function withoutServers(live) {
  const { name, namespace, labels, annotations } = live.metadata;
  return { ...without(live, "status"), metadata: { name, namespace, labels, annotations } };
}

/** kubernetes:apps/v1:Deployment; the core group is called core/v1 there. */
function kindOf(urn) {
  const [, apiVersion, kind] = typeOf(urn).split(":");
  return { apiVersion: apiVersion.replace(/^core\//, ""), kind };
}

export const objectResource = { check, diff, create, read, update, delete: remove };
