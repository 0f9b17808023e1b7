/** One line for each generator. Nothing else in this package changes when one is added. */
export { hey, type HeyOptions } from "./hey";
export { k6, type K6Options } from "./k6";
export { locust, type LocustOptions } from "./locust";
export { ngrinder, type NGrinderOptions } from "./ngrinder";
export { oha, type OhaOptions } from "./oha";
export { wrk, type WrkOptions } from "./wrk";
