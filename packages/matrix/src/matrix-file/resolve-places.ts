import { invalid, twins, type Resolved } from "./file-faults";
import { keyFileOf } from "./key-file";
import type { FileFault, Place, Size } from "./matrix";
import type { TopologyAsked } from "./topology-asked";

/** What places on it are called, and rules name it by. */
export const topologyName = ({ kind, as = kind }: TopologyAsked): string => as;

/** One place for each size of each topology. */
export function resolvePlaces(topologies: readonly TopologyAsked[], folder: string): Resolved<Place> {
  const here = topologies.map((topology) => located(topology, folder));
  const found = here.flatMap((topology) => sizesOf(topology).map((size) => placeOf(topology, size)));
  const advice = 'Tell them apart with "as: " and a name.';
  const places = new Set(found.map(({ name }) => name)).size;
  const faults = [
    ...twins(topologies.map(topologyName), (at) => ["topologies", at], advice),
    ...topologies.flatMap(sizeFaults),
  ];
  const ambiguous = faults.length === 0 && places < found.length;
  return { found, faults: ambiguous ? [invalid(["topologies"], `two places would have one name. ${advice}`)] : faults };
}

/** With a key that is found from everywhere. */
const located = (topology: TopologyAsked, folder: string): TopologyAsked =>
  topology.kind === "ssh" ? { ...topology, privateKeyFile: keyFileOf(topology.privateKeyFile, folder) } : topology;

function placeOf(topology: TopologyAsked, size: Size): Place {
  const name = topologyName(topology);
  return { name: isAsItComes(size) ? name : `${name}-${size.name}`, topology, size };
}

const isAsItComes = ({ workers, instanceType }: Size): boolean => workers === undefined && instanceType === undefined;

/** The size where none was given. */
const asItComes: Size = { name: "default", workers: undefined, instanceType: undefined };

export function sizesOf({ sizes }: TopologyAsked): readonly Size[] {
  return sizes?.map(sizeOf) ?? [asItComes];
}

type SizeAsked = NonNullable<TopologyAsked["sizes"]>[number];

function sizeOf(asked: SizeAsked): Size {
  if (typeof asked === "number") return { name: `${asked}`, workers: asked, instanceType: undefined };
  if (typeof asked === "string") return { name: asked, workers: undefined, instanceType: asked };
  const { instanceType, workers } = asked;
  return { name: workers === undefined ? instanceType : `${instanceType}-${workers}`, workers, instanceType };
}

const sizeFaults = (topology: TopologyAsked, at: number): readonly FileFault[] =>
  twins(
    sizesOf(topology).map(({ name }) => name),
    (index) => ["topologies", at, "sizes", index],
    "Each size is measured once; leave one out.",
  );
