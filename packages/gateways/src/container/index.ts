export { container, type ContainerOptions } from "./container";
export type { ContainerCounters, ContainerRequest, ContainerSetup, ContainerWorkload } from "./container-data";
