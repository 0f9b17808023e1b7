/** One line for each generator. Nothing else in this package changes when one is added. */
export { hey, type HeyOptions } from "./hey";
export { wrk, type WrkOptions } from "./wrk";
