export { hey, type HeyOptions } from "./hey";
