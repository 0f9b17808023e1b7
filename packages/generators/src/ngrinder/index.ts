export { ngrinder, type NGrinderOptions } from "./ngrinder";
