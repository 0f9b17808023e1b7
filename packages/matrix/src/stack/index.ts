export * from "./stack-plan";
export * from "./stack-settings";
