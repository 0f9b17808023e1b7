export { nginx, type NginxOptions } from "./nginx";
