/**
 * A stand-in for the official kubernetes plug-in (pulumi-resource-kubernetes), for tests on machines that reach package
 * registries only. It talks to a real API server and keeps to what the official one does with objects, in its words: names,
 * server-side apply, what is made anew, what is waited for, what a preview asks the server. Releases of charts are Helm's own.
 * What differs is told in the README beside it.
 */
import { createRequire } from "node:module";
import { logTo } from "../../../tools/pulumi/engine-log.mjs";
import { empty, serve } from "../../../tools/pulumi/plugin.mjs";
import { typeOf } from "./answers.mjs";
import { cancelObjects, objectResource } from "./object-resource.mjs";
import { checkConfig, configure, diffConfig } from "./provider.mjs";
import { RELEASE, releaseResource } from "./release-resource.mjs";

const require = createRequire(import.meta.url);
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");

/** That of the SDK whose resources it carries. */
const { version: VERSION } = require("@pulumi/kubernetes/package.json");

export function serveKubernetesPlugin() {
  serve({ service: ResourceProviderService, handlers, version: VERSION, end: async () => cancelObjects() });
}

/** @param {keyof typeof objectResource} question */
const answered = (question) => (request) =>
  (typeOf(request.getUrn()) === RELEASE ? releaseResource : objectResource)[question](request);

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
  ...Object.fromEntries(Object.keys(objectResource).map((question) => [question, answered(question)])),
  cancel: () => {
    cancelObjects();
    return empty();
  },
};
