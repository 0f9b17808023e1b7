/** The provider itself: its arguments, and the cluster they lead to. One process serves one provider. */
import { createRequire } from "node:module";
import { changedPaths, hasUnknown, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { failure, fields } from "./answers.mjs";
import { openApi } from "./api.mjs";
import { accessOf, clusterOf } from "./kubeconfig.mjs";

const require = createRequire(import.meta.url);
const messages = require("@pulumi/pulumi/proto/provider_pb.js");

/** Provider arguments that change what it does with objects, and what the stand-in does about them. */
const REFUSED = {
  enableServerSideApply: { is: (value) => value !== false, advice: "it applies on the server only" },
  renderYamlToDirectory: { is: (value) => value === undefined, advice: "it renders no files" },
  skipUpdateUnreachable: { is: (value) => value !== true, advice: "an unreachable cluster is an error" },
};

/**
 * As configured.
 * @type {{ api?: ReturnType<typeof openApi>, access?: import("./kubeconfig.mjs").Access, unreachable?: string, namespace: string,
 *   deleteUnreachable: boolean, upserts: boolean, mutability: import("./force-new.mjs").Mutability }}
 */
export let cluster;

export function checkConfig(request) {
  const given = settings(fields(request.getNews()));
  const refused = Object.entries(REFUSED).filter(([name, { is }]) => !is(given[name]));
  const failures = refused.map(([property, { advice }]) =>
    failure(property, `the stand-in of the kubernetes plug-in has no such way: ${advice}. Leave it out`),
  );
  return new messages.CheckResponse().setInputs(request.getNews()).setFailuresList(failures);
}

/** Another cluster is another place: all that stands in the old one is made anew. */
export function diffConfig(request) {
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

export async function configure(request) {
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

export function requireCluster() {
  if (!cluster.api) throw new Error(`configured Kubernetes cluster is unreachable: ${cluster.unreachable}`);
}
