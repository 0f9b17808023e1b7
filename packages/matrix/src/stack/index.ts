export * from "./load-test-row";
export * from "./load-test-table";
export * from "./stack-plan";
export * from "./stack-settings";
