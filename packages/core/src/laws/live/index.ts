export { echoed } from "./echoed";
export { liveLaws } from "./live-laws";
export { probeJob } from "./probe-job";
export { readObservations } from "./probe-output";
export { resumptionRefused, verificationJob, verificationOf } from "./verify";
