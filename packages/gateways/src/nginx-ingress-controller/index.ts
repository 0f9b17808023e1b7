export { nginxIngressController, type NginxIngressControllerOptions } from "./nginx-ingress-controller";
