const transform = {
  "^.+\\.ts$": [
    "@swc/jest",
    { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "commonjs" } },
  ],
};
const moduleNameMapper = {
  "^@gatebench/core$": "<rootDir>/packages/core/src/index.ts",
  "^@gatebench/core/(local|ssh|ec2|kubernetes|eks|plan)$": "<rootDir>/packages/core/src/$1.ts",
  "^@gatebench/core/(contract|measure|laws|testing|upstreams)$": "<rootDir>/packages/core/src/$1/index.ts",
  "^@gatebench/(gateways|generators)$": "<rootDir>/packages/$1/src/index.ts",
  "^@gatebench/(gateways|generators)/all$": "<rootDir>/packages/$1/src/all.ts",
  "^@gatebench/matrix$": "<rootDir>/packages/matrix/src/index.ts",
  "^@gatebench/matrix/stack$": "<rootDir>/packages/matrix/src/stack/index.ts",
};
const shared = {
  rootDir: __dirname,
  testEnvironment: "node",
  transform,
  moduleNameMapper,
  modulePathIgnorePatterns: ["/dist/"],
};

/** Unit tests need nothing but node; e2e tests need the engine, nginx, envoy, wrk and hey, which `npm test` installs. */
module.exports = {
  projects: [
    {
      ...shared,
      displayName: "unit",
      testMatch: ["<rootDir>/{packages,stacks,tools,examples}/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", "\\.e2e\\.test\\.ts$"],
    },
    {
      ...shared,
      displayName: "e2e",
      testMatch: ["<rootDir>/test/e2e/**/*.e2e.test.ts"],
      testEnvironment: "<rootDir>/test/e2e/environment.cjs",
    },
  ],
};
