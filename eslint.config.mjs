import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** The floors: imports point down only. Each entry names what the files of a room may not reach. */
const pulumi = "^@pulumi/";
const floors = [
  {
    files: ["packages/core/src/contract/**"],
    up: [pulumi, "^\\.\\./", "^node:"],
    why: "contract/ is pure: no Pulumi, no I/O, nothing above it",
  },
  {
    files: ["packages/core/src/measure/**"],
    up: [pulumi, "^\\.\\./(?!contract$)", "^node:"],
    why: "measure/ is arithmetic over contract/",
  },
  {
    files: ["packages/core/src/laws/**"],
    up: [pulumi, "^\\.\\./(?!(\\.\\./)*(contract|measure)$)", "^node:(?!assert)"],
    why: "laws/ may use contract/ and measure/ only",
  },
  {
    files: ["packages/core/src/upstreams/**"],
    up: [pulumi, "^\\.\\./(?!contract$)", "^node:"],
    why: "upstreams/ are pure, like adapters",
  },
  {
    files: ["packages/core/src/observatory/**"],
    up: [pulumi, "^\\.\\./(?!contract$)", "^node:"],
    why: "observatory/ renders what is declared, and starts nothing",
  },
  {
    files: ["packages/core/src/testing/**"],
    up: [pulumi, "^\\.\\./(?!(contract|laws|measure)$)", "^node:"],
    why: "testing/ is for people who write adapters, and so as pure as these",
  },
  {
    files: ["packages/core/src/hosts/**"],
    up: ["^(\\.\\./)+(components|topologies)", "@gatebench/"],
    why: "hosts/ know nothing of what stands on them",
  },
  {
    files: ["packages/core/src/topologies/**"],
    up: ["^(\\.\\./)+components", "@gatebench/"],
    why: "topologies/ stand on hosts/",
  },
  {
    files: ["packages/core/src/components/**"],
    up: ["^\\.\\./topologies", "@gatebench/"],
    why: "components/ take hosts, they do not choose them",
  },
  {
    files: ["packages/{gateways,generators}/src/**"],
    up: [pulumi, "^@gatebench/core(?!/(contract|laws)$)", "^@gatebench/(gateways|generators|matrix)"],
    why: "adapters see core/contract and core/laws only",
  },
  {
    files: ["packages/matrix/src/**"],
    up: ["^@gatebench/(gateways|generators)/(?!all$)"],
    why: "the matrix knows adapters by name, never by folder",
  },
];

const crossPackage = {
  regex: "^(\\.\\./)+(core|gateways|generators|matrix|packages|stacks)/",
  message: "Name the package instead of reaching across folders.",
};

export default tseslint.config(
  { ignores: ["**/dist/**", "**/node_modules/**", "results/**", ".gatebench/**", "**/golden/**", "**/fixtures/**"] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  { rules: { "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }] } },
  {
    files: ["**/*.mjs", "**/*.cjs", "tools/pulumi/bin/*"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        Buffer: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        setInterval: "readonly",
        clearInterval: "readonly",
        module: "writable",
        require: "readonly",
        __dirname: "readonly",
        URL: "readonly",
        fetch: "readonly",
        AbortController: "readonly",
        AbortSignal: "readonly",
      },
    },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  ...floors.map(({ files, up, why }) => ({
    files,
    ignores: ["**/*.test.ts"],
    rules: {
      "no-restricted-imports": ["error", { patterns: [crossPackage, ...up.map((regex) => ({ regex, message: why }))] }],
    },
  })),
);
