export { istio, type IstioOptions } from "./istio";
