/** One line for each gateway. Nothing else in this package changes when one is added. */
export { direct } from "./direct";
export { envoy, type EnvoyFiles, type EnvoyOptions } from "./envoy";
export { istio, type IstioOptions } from "./istio";
export { kong, type KongConfiguration, type KongOptions } from "./kong";
export { nginx, type NginxFiles, type NginxOptions } from "./nginx";
export { nginxIngressController, type NginxIngressControllerOptions } from "./nginx-ingress-controller";
export { tyk, type TykFiles, type TykOptions } from "./tyk";
