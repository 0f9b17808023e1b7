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

/** Options are checked by who reads them: a file may hold anything. */
type Factories<A> = Readonly<Record<string, (options?: never) => A>>;

/** How an adapter is looked up and made. */
export interface AdapterLoading {
  /** Paths and packages are taken from here. @default the working folder */
  readonly folder?: string;
  /** What its factory is given. @default nothing */
  readonly options?: unknown;
}

/** A gateway by the name of one of ours, or by package or path (`./mine.js`, `their-package#kong`) for anybody else's. */
export function loadGateway(
  name: string,
  known: Factories<GatewayAdapter>,
  how: AdapterLoading = {},
): Promise<GatewayAdapter | Fault> {
  return load(name, known, "gateway", gatewayAdapterFaults, how);
}

/** A generator by name, package or path. */
export function loadGenerator(
  name: string,
  known: Factories<GeneratorAdapter>,
  how: AdapterLoading = {},
): Promise<GeneratorAdapter | Fault> {
  return load(name, known, "generator", generatorAdapterFaults, how);
}

type Kind = "gateway" | "generator";
type Check = (value: unknown, from: string) => readonly Fault[];

async function load<A>(
  name: string,
  known: Factories<A>,
  kind: Kind,
  check: Check,
  how: AdapterLoading,
): Promise<A | Fault> {
  const ours = Object.hasOwn(known, name) ? known[name] : undefined;
  return ours ? ours(how.options as never) : foreign<A>(name, Object.keys(known), kind, check, how);
}

async function foreign<A>(
  name: string,
  known: readonly string[],
  kind: Kind,
  check: Check,
  { folder = process.cwd(), options }: AdapterLoading,
): Promise<A | Fault> {
  const [from = "", chosen] = name.split("#");
  try {
    const exported = (await import(specifier(from, folder))) as Record<string, unknown>;
    const found = candidates(exported, chosen).map((value) => made(value, options));
    const adapters = found.filter((value) => check(value, from).length === 0);
    return adapters.length === 1
      ? (adapters[0] as A)
      : fault(
          "invalid-adapter",
          `${from} exports ${adapters.length} ${kind} adapters${chosen ? ` as ${chosen}` : ""}; name one with "${from}#export". ${firstLack(found, from, check)}`,
        );
  } catch (error) {
    return fault(
      `unknown-${kind}`,
      `"${name}" is not one of ${listed(known)}, nor a package or path that can be loaded (${firstLine(error)}).`,
    );
  }
}

function specifier(from: string, folder: string): string {
  if (/^[./]/.test(from)) return pathToFileURL(resolve(folder, from)).href;
  return pathToFileURL(require.resolve(from, { paths: [folder, __dirname] })).href;
}

function candidates(exported: Record<string, unknown>, chosen: string | undefined): readonly unknown[] {
  if (chosen !== undefined) return [exported[chosen]];
  const inner =
    typeof exported.default === "object" && exported.default !== null ? Object.values(exported.default) : [];
  return [...new Set([...Object.values(exported), ...inner])];
}

/** An adapter, or the function of options that makes one. */
function made(value: unknown, options: unknown): unknown {
  if (typeof value !== "function") return value;
  try {
    return (value as (options?: unknown) => unknown)(...(options === undefined ? [] : [options]));
  } catch {
    return undefined;
  }
}

const firstLack = (found: readonly unknown[], from: string, check: Check): string =>
  found.flatMap((value) => check(value, from))[0]?.message ?? "";

/** Without who looked for it: that is always this file. */
const firstLine = (error: unknown): string =>
  (error as Error).message.split("\n")[0]?.replace(/ imported from .*$/, "") ?? "";
