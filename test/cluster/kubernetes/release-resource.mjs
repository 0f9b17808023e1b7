/** Releases of charts as resources: the engine's questions about one, answered by Helm. */
import { createRequire } from "node:module";
import { empty } from "../../../tools/pulumi/plugin.mjs";
import { changedPaths, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { diffResponse, failure, fields, initFailed, nameOf, struct, withoutNothing } from "./answers.mjs";
import { placeIn } from "./naming.mjs";
import { cluster, requireCluster } from "./provider.mjs";
import * as release from "./release.mjs";

const require = createRequire(import.meta.url);
const messages = require("@pulumi/pulumi/proto/provider_pb.js");

export const RELEASE = "kubernetes:helm.sh/v3:Release";

async function check(request) {
  const given = withoutNothing(fields(request.getNews()));
  const { inputs, faults } = await release.checked(given, fields(request.getOlds()), nameOf(request.getUrn()), cluster);
  return new messages.CheckResponse()
    .setInputs(struct(inputs))
    .setFailuresList(faults.map(([property, reason]) => failure(property, reason)));
}

function diff(request) {
  const ignored = request.getIgnorechangesList();
  const [before, after] = [unwrapped(fields(request.getOldInputs())), unwrapped(fields(request.getNews()))];
  const changes = changedPaths(before, after).filter(({ property }) => !ignored.includes(property));
  const replaces = changes.map(({ path }) => path).filter((path) => path === "name" || path === "namespace");
  return diffResponse(changes, replaces, false);
}

async function create(request) {
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

async function update(request) {
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

async function read(request) {
  requireCluster();
  const state = fields(request.getProperties());
  const outputs = await release.outputsOf(placeIn(request.getId()), cluster.access);
  if (!outputs) return new messages.ReadResponse();
  return new messages.ReadResponse()
    .setId(request.getId())
    .setInputs(request.getInputs())
    .setProperties(struct({ ...state, ...outputs }));
}

async function remove(request) {
  if (!cluster.api)
    throw new Error(`can't delete Helm Release with unreachable cluster. Reason: "${cluster.unreachable}"`);
  await release.uninstalled(unwrapped(fields(request.getProperties())), cluster.access);
  return empty();
}

export const releaseResource = { check, diff, create, read, update, delete: remove };
