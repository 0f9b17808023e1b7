export { direct } from "./direct";
