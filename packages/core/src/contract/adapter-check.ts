import { fault, type Fault } from "./fault";

const gatewayMembers = { name: "string", supports: "object", ports: "object", render: "function" } as const;
const generatorMembers = {
  name: "string",
  version: "string",
  models: "object",
  reports: "object",
  plan: "function",
  parse: "function",
} as const;

/** What a foreign module's export lacks to be a gateway adapter. */
export const gatewayAdapterFaults = (value: unknown, from: string): readonly Fault[] =>
  memberFaults(value, gatewayMembers, "gateway", from);
/** What a foreign module's export lacks to be a generator adapter. */
export const generatorAdapterFaults = (value: unknown, from: string): readonly Fault[] =>
  memberFaults(value, generatorMembers, "generator", from);

/** Names stand in file names, resource names and tables. */
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const nameFault = (name: string, kind: string, from: string): Fault =>
  fault(
    "invalid-adapter",
    `the ${kind} adapter of ${from} is named "${name}"; a name is kebab-case: small letters, digits and hyphens.`,
  );

function memberFaults(
  value: unknown,
  members: Readonly<Record<string, string>>,
  kind: string,
  from: string,
): readonly Fault[] {
  const given = (value ?? {}) as Record<string, unknown>;
  const missing = Object.entries(members).filter(([name, type]) => typeof given[name] !== type);
  if (missing.length === 0)
    return kebabCase.test(given.name as string) ? [] : [nameFault(given.name as string, kind, from)];
  return [
    fault(
      "invalid-adapter",
      `${from} gives no ${kind} adapter: it lacks ${missing.map(([name, type]) => `${name} (${type})`).join(", ")}.`,
    ),
  ];
}
