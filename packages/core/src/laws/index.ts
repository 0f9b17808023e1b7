export * from "./live";
export * from "./generator-laws";
export { gatewayLaws, type GatewayLaw } from "./gateway-laws";
export * from "./generator-fuzz";
