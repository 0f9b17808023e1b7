import { resolve } from "node:path";
import {
  fault,
  faultsBehind,
  gatewayAdapterFaults,
  generatorAdapterFaults,
  isFault,
  loadGateway,
  loadGenerator,
  scriptFaults,
  workerFaults,
  type AdapterLoading,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
} from "@gatebench/core";
import { gateways } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import { drawGateway, drawGenerator } from "./draws";
import { atPath, invalid, together, twins, type Resolved } from "./file-faults";
import type { FileFault, FilePath, MatrixGateway, MatrixGenerator } from "./matrix";
import type { MatrixFile } from "./matrix-file";
import { didYouMean } from "./nearest";
import { optionFaults, WatchedOptions } from "./options-read";
import { allGenerators, baselineName } from "../plan/plan-group";
import { scriptText } from "../user-script";

type Options = Readonly<Record<string, unknown>>;

/** Gateways by name, package, path or as they are, under the names that tables call them. */
export async function resolveGateways(asked: MatrixFile["gateways"], folder: string): Promise<Resolved<MatrixGateway>> {
  return distinct("gateways", await Promise.all(asked.map((one, at) => gatewayOf(one, ["gateways", at], folder))));
}

/** Generators in the same way, each with its script and its workers. */
export async function resolveGenerators(
  asked: MatrixFile["generators"],
  folder: string,
): Promise<Resolved<MatrixGenerator>> {
  return distinct(
    "generators",
    await Promise.all(asked.map((one, at) => generatorOf(one, ["generators", at], folder))),
  );
}

type Named = { readonly adapter: { readonly name: string }; readonly asked: unknown };

/** Two of one name could not be told apart; the path without a gateway has its name for itself. */
function distinct<T extends Named>(key: string, parts: readonly Resolved<T>[]): Resolved<T> {
  const { found, faults } = together(parts);
  const names = parts.map((part, at) => part.found[0]?.adapter.name ?? `${at}, unknown`);
  const advice = 'Give one of them a name of its own: "as: " and the name.';
  const taken = parts.flatMap(({ found: [one] }, at) =>
    key === "gateways" && one?.adapter.name === baselineName && asOf(one) ? [invalid([key, at, "as"], ofBaseline)] : [],
  );
  return { found, faults: [...faults, ...twins(names, (at) => [key, at], advice), ...taken] };
}

const asOf = ({ asked }: Named): unknown => (asked as { readonly as?: unknown }).as;
const ofBaseline = `"${baselineName}" is the path without a gateway, which is measured beside all of them. Choose another name.`;

type One = Resolved<MatrixGateway>;

async function gatewayOf(asked: MatrixFile["gateways"][number], at: FilePath, folder: string): Promise<One> {
  const { gateway, as, options } = typeof asked === "object" && "gateway" in asked ? asked : { gateway: asked };
  const { found, faults } = await adapterOf(gateway, { at, folder, options, as, kind: gatewayKind, key: "gateway" });
  return { found: found.map((adapter) => ({ adapter, asked })), faults };
}

const gatewayKind: Kind<GatewayAdapter> = {
  known: Object.keys(gateways),
  check: gatewayAdapterFaults,
  load: (name, how) => loadGateway(name, gateways, how),
  draw: drawGateway,
};

async function generatorOf(
  asked: MatrixFile["generators"][number],
  at: FilePath,
  folder: string,
): Promise<Resolved<MatrixGenerator>> {
  const { generator, as, options, script, workers } =
    typeof asked === "object" && "generator" in asked ? asked : { generator: asked, workers: 0 };
  const text = script === undefined ? undefined : scriptText(resolve(folder, script), "the script");
  if (text !== undefined && typeof text !== "string") return { found: [], faults: [atPath([...at, "script"])(text)] };
  const own = text === undefined ? options : { ...options, script: text };
  const kind = generatorKind;
  const { found, faults } = await adapterOf(generator, { at, folder, options: own, as, kind, key: "generator" });
  return {
    found: found.map((adapter) => ({ adapter, asked, workers, ...(text === undefined ? {} : { script: text }) })),
    faults: [
      ...faults.filter(({ at: path }) => script === undefined || path.at(-1) !== "script"),
      ...found.flatMap((adapter) => [
        ...(script === undefined ? [] : scriptFaults(adapter, script, allGenerators()).map(atPath([...at, "script"]))),
        ...workerFaults(adapter, workers).map(atPath([...at, "workers"])),
      ]),
    ],
  };
}

const generatorKind: Kind<GeneratorAdapter> = {
  known: Object.keys(generators),
  check: generatorAdapterFaults,
  load: (name, how) => loadGenerator(name, generators, how),
  draw: drawGenerator,
};

/** What is wrong with options for an adapter by its name or path, where there is such an adapter. */
export const adapterOptionFaults = {
  gateway: (name: string, options: Options) => optionFaultsOf(name, options, gatewayKind),
  generator: (name: string, options: Options) => optionFaultsOf(name, options, generatorKind),
};

async function optionFaultsOf<A extends { readonly name: string }>(name: string, options: Options, kind: Kind<A>) {
  const found = await kind.load(name, {});
  return isFault(found) ? [] : triedOut(name, found, { at: [], kind }, options);
}

function withGuess({ code, message }: Fault, name: string, known: readonly string[]): Fault {
  const guess = code.startsWith("unknown-") && !/[./]/.test(name) ? didYouMean(name, known) : "";
  return { code, message: guess ? message.replace(/\.$/, guess) : message };
}

/** What an adapter can be looked up, checked and tried out with. */
interface Kind<A> {
  readonly known: readonly string[];
  check(value: unknown, from: string): readonly Fault[];
  load(name: string, how: AdapterLoading): Promise<A | Fault>;
  /** Does with it what a plan does, so that it reads its options. Throws as it does. */
  draw(adapter: A): void;
}

interface Lookup<A> {
  readonly at: FilePath;
  readonly folder: string;
  readonly options: Options | undefined;
  readonly as: string | undefined;
  readonly kind: Kind<A>;
  /** Of the name, where there is more than a name. */
  readonly key: string;
}

async function adapterOf<A extends { readonly name: string }>(asked: string | A, how: Lookup<A>): Promise<Resolved<A>> {
  const { at, folder, options, as, kind, key } = how;
  const found =
    typeof asked === "string" ? await kind.load(asked, { folder, options }) : (kind.check(asked, key)[0] ?? asked);
  if (isFault(found)) return { found: [], faults: [atPath(at)(withGuess(found, String(asked), kind.known))] };
  const faults = options === undefined ? [] : await triedOut(asked, found, how, options);
  return { found: [as === undefined ? found : named(found, as)], faults };
}

/** The adapter once more, with options that tell what is read of them. */
async function triedOut<A extends { readonly name: string }>(
  asked: string | A,
  found: A,
  { at, folder, kind }: Pick<Lookup<A>, "at" | "kind"> & Partial<Pick<Lookup<A>, "folder">>,
  options: Options,
): Promise<readonly FileFault[]> {
  const here = [...at, "options"];
  if (typeof asked !== "string")
    return [
      invalid(here, "options are for adapters that are named; this one is made already. Give them where it is made."),
    ];
  const watched = new WatchedOptions(options);
  const tried = await kind.load(asked, { folder, options: watched.options });
  const failure = isFault(tried) ? tried : failureOf(() => kind.draw(tried));
  const plain = await kind.load(asked, { folder });
  const fits = failure !== undefined && !isFault(plain) && failureOf(() => kind.draw(plain)) === undefined;
  const unfit = fits ? [atPath(here)(failure)] : [];
  const known = optionFaults(found.name, options, watched).map(({ option, ...one }) => atPath([...here, option])(one));
  return known.length > 0 ? known : unfit;
}

/** Why it cannot be drawn; the same without options is no fault of theirs. */
function failureOf(draw: () => void): Fault | undefined {
  try {
    draw();
    return undefined;
  } catch (error) {
    return faultsBehind(error)?.[0] ?? fault("invalid-option", `${(error as Error).message}.`);
  }
}

/** With all it has, also where it is an object of a class. */
const named = <A extends { readonly name: string }>(adapter: A, name: string): A =>
  Object.assign(Object.create(Object.getPrototypeOf(adapter) as object) as A, adapter, { name });
