export { containerUpstream, type ContainerUpstreamOptions } from "./container-upstream";
export { goBenchSuite, type GoBenchSuiteOptions } from "./go-bench-suite";
export { ping, type PingOptions } from "./ping";
export { staticPayload, type StaticPayloadOptions } from "./static-payload";
export { bytesOf, type ExpectedBody } from "./expected-body";
export type { Answer, UpstreamApp, UpstreamSite } from "./upstream-app";
export { programOf } from "./program";
