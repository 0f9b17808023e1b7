/** What the engine asks and is told, in its protocol's messages. */
import { createRequire } from "node:module";
import { grpc } from "../../../tools/pulumi/plugin.mjs";

const require = createRequire(import.meta.url);
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Status } = require("@pulumi/pulumi/proto/status_pb.js");
const { Any } = require("google-protobuf/google/protobuf/any_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");

export const failure = (property, reason) => new messages.CheckFailure().setProperty(property).setReason(reason);

/** It exists and is in the state, but is not what it should be: the next `up` goes on with it. */
export function initFailed(text, faults, id, properties) {
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

/** @param {{ path: string, property: string, kind: string }[]} changes @param {string[]} replaces  Of these paths. @param {boolean} deletesFirst */
export function diffResponse(changes, replaces, deletesFirst) {
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

export const fields = (message) => message?.toJavaScript() ?? {};
export const struct = (value) => Struct.fromJavaScript(JSON.parse(JSON.stringify(value)));
export const withoutNothing = (given) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
/** urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME */
export const nameOf = (urn) => urn.split("::").slice(3).join("::");
export const typeOf = (urn) => urn.split("::")[2].split("$").at(-1);
