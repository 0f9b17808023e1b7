/**
 * Networks inside a cluster. They are known inside its machines only, so every cluster has the same ones; the machines
 * themselves have addresses of their site (test/twin/site.mjs), which no two have.
 */
import { nthOf } from "../twin/ip-range.mjs";

export const POD_NETWORK = "10.244.0.0/16";
export const SERVICE_NETWORK = "10.96.0.0/16";
export const DOMAIN = "cluster.local";
/** Kubernetes gives the first one to its API server's own Service. */
export const API_SERVICE = nthOf(SERVICE_NETWORK, 1);
export const API_PORT = 6443;

/** @param {number} index  Of the node, from 0. */
export const podNetworkOf = (index) => `10.244.${index + 1}.0/24`;
