export { wrk, type WrkOptions } from "./wrk";
