import { subscription } from "@gatebench/core/contract";
import { secret } from "./names";

export const licenceSecret = "nginx-plus-licence";
export const registrySecret = "nginx-plus-registry";

/** Its pods do not start without them: the image comes from a registry that lets nobody else in. */
export const subscriptionSecrets = () => [
  secret(licenceSecret, "nginx.com/license", { "license.jwt": subscription.licence }),
  secret(registrySecret, "kubernetes.io/dockerconfigjson", { ".dockerconfigjson": subscription.registry }),
];
