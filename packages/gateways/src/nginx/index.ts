export { nginx, type NginxFiles, type NginxOptions } from "./nginx";
