export { envoy, type EnvoyOptions } from "./envoy";
