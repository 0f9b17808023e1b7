export { envoy, type EnvoyFiles, type EnvoyOptions } from "./envoy";
