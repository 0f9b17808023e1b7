export { kong, type KongConfiguration, type KongOptions } from "./kong";
