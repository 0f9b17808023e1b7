export { tyk, type TykFiles, type TykOptions } from "./tyk";
