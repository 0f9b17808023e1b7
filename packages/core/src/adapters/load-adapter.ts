import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  fault,
  gatewayAdapterFaults,
  generatorAdapterFaults,
  listed,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
} from "../contract";

type Factories<A> = Readonly<Record<string, () => A>>;

/** A gateway by the name of one of ours, or by package or path (`./mine.js`, `their-package#kong`) for anybody else's. */
export function loadGateway(name: string, known: Factories<GatewayAdapter>): Promise<GatewayAdapter | Fault> {
  return load(name, known, "gateway", gatewayAdapterFaults);
}

/** A generator by name, package or path. */
export function loadGenerator(name: string, known: Factories<GeneratorAdapter>): Promise<GeneratorAdapter | Fault> {
  return load(name, known, "generator", generatorAdapterFaults);
}

type Kind = "gateway" | "generator";
type Check = (value: unknown, from: string) => readonly Fault[];

async function load<A>(name: string, known: Factories<A>, kind: Kind, check: Check): Promise<A | Fault> {
  const ours = Object.hasOwn(known, name) ? known[name] : undefined;
  return ours ? ours() : foreign<A>(name, Object.keys(known), kind, check);
}

async function foreign<A>(name: string, known: readonly string[], kind: Kind, check: Check): Promise<A | Fault> {
  const [from = "", chosen] = name.split("#");
  try {
    const exported = (await import(specifier(from))) as Record<string, unknown>;
    const adapters = candidates(exported, chosen)
      .map(made)
      .filter((value) => check(value, from).length === 0);
    return adapters.length === 1
      ? (adapters[0] as A)
      : fault(
          "invalid-adapter",
          `${from} exports ${adapters.length} ${kind} adapters${chosen ? ` as ${chosen}` : ""}; name one with "${from}#export". ${firstLack(exported, chosen, from, check)}`,
        );
  } catch (error) {
    return fault(
      `unknown-${kind}`,
      `"${name}" is not one of ${listed(known)}, nor a package or path that can be loaded (${firstLine(error)}).`,
    );
  }
}

/** Paths are taken from the working folder, packages from there too. */
function specifier(from: string): string {
  if (/^[./]/.test(from)) return pathToFileURL(resolve(from)).href;
  return pathToFileURL(require.resolve(from, { paths: [process.cwd(), __dirname] })).href;
}

function candidates(exported: Record<string, unknown>, chosen: string | undefined): readonly unknown[] {
  if (chosen !== undefined) return [exported[chosen]];
  const inner =
    typeof exported.default === "object" && exported.default !== null ? Object.values(exported.default) : [];
  return [...new Set([...Object.values(exported), ...inner])];
}

/** An adapter, or the function of options that makes one. */
function made(value: unknown): unknown {
  if (typeof value !== "function") return value;
  try {
    return (value as () => unknown)();
  } catch {
    return undefined;
  }
}

function firstLack(exported: Record<string, unknown>, chosen: string | undefined, from: string, check: Check): string {
  const [first] = candidates(exported, chosen)
    .map(made)
    .flatMap((value) => check(value, from));
  return first?.message ?? "";
}

const firstLine = (error: unknown): string => (error as Error).message.split("\n")[0] ?? "";
