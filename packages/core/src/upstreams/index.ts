export { staticPayload, type StaticPayloadOptions } from "./static-payload";
export type { UpstreamApp, UpstreamSite } from "./upstream-app";
export { programOf } from "./program";
