export { oha, type OhaOptions } from "./oha";
