import { readFileSync } from "node:fs";
import type { Fault } from "@gatebench/core";
import { ec2Faults, eksFaults, sshFaults, type SshMachine } from "@gatebench/core/plan";
import { invalid } from "./file-faults";
import { keyFileOf } from "./key-file";
import type { FileFault, FilePath } from "./matrix";
import type { MatrixFile } from "./matrix-file";
import { rentedMachines } from "./rented-machines";
import { isRented, type RentedAsked, type TopologyAsked } from "./topology-asked";
import { sizesOf } from "./resolve-places";

type SshAsked = Extract<TopologyAsked, { kind: "ssh" }>;

/** What is wrong with machines as they were asked for; nobody is asked to find out. */
export function machineFaults(file: MatrixFile, folder: string): readonly FileFault[] {
  const workers = Math.max(0, ...file.generators.map((one) => (isMapping(one) ? one.workers : 0)));
  return file.topologies.flatMap((topology, index) => {
    const at = ["topologies", index];
    if (isRented(topology)) return [...budgetFaults(file, at), ...ofRented(topology, workers, at)];
    return topology.kind === "ssh" ? ofSsh(topology, workers, at, folder) : [];
  });
}

const isMapping = (one: MatrixFile["generators"][number]): one is Extract<typeof one, { readonly workers: number }> =>
  typeof one === "object" && "workers" in one;

const budgetFaults = ({ budgetUsd }: MatrixFile, at: FilePath): readonly FileFault[] =>
  budgetUsd === undefined
    ? [
        invalid(
          [...at, "kind"],
          'machines on EC2 and clusters on EKS cost money. Say how much at most, in US dollars: "budgetUsd: 20".',
        ),
      ]
    : [];

function ofRented(topology: RentedAsked, workers: number, at: FilePath): readonly FileFault[] {
  return sizesOf(topology).flatMap(({ instanceType = "" }, index) => {
    const machines = rentedMachines(topology, instanceType, workers);
    const faults =
      topology.kind === "ec2" ? ec2Faults({ ...topology, ...machines }) : eksFaults({ ...topology, ...machines });
    return faults.map((fault) => placedOnRented(fault, at, index));
  });
}

/** `gateway.instanceType c5.huge is …` is about a size; the path says so. */
function placedOnRented({ code, message }: Fault, at: FilePath, size: number): FileFault {
  const [, role = "", rest = message] = /^([A-Za-z0-9-]+)(?:\.instanceType)? (.*)$/s.exec(message) ?? [];
  const where: Readonly<Record<string, FilePath>> = {
    gateway: ["sizes", size],
    upstream: ["upstream"],
    generator: ["generator"],
    sshFrom: ["sshFrom"],
    ttl: ["ttl"],
  };
  const [, several] = /^(worker|service)-\d+$/.exec(role) ?? [];
  const place = where[role] ?? (several === undefined ? undefined : [several]);
  return {
    code,
    message: (place ? rest : message).replace(", or sshFromAnywhere: true", ""),
    at: [...at, ...(place ?? [])],
  };
}

function ofSsh(topology: SshAsked, workers: number, at: FilePath, folder: string): readonly FileFault[] {
  const { upstream, gateway, generator, workers: others } = topology;
  const machine = (one: SshAsked["upstream"]): SshMachine => ({ ...one, privateKey: "" });
  const machines = {
    upstream: machine(upstream),
    gateway: machine(gateway),
    generator: machine(generator),
    workers: others.map(machine),
  };
  return [
    ...keyFaults(topology, at, folder),
    ...sshFaults(machines).map((fault) => placedOnSsh(fault, at)),
    ...lackingWorkers(others.length, workers, at),
  ];
}

function keyFaults(topology: SshAsked, at: FilePath, folder: string): readonly FileFault[] {
  try {
    readFileSync(keyFileOf(topology.privateKeyFile, folder));
    return [];
  } catch (error) {
    return [invalid([...at, "privateKeyFile"], `the key cannot be read (${(error as Error).message}).`)];
  }
}

/** `worker-2.address "…" is none` is about the second worker. */
function placedOnSsh({ code, message }: Fault, at: FilePath): FileFault {
  const [, role = "", key = "", rest = message] = /^([a-z0-9-]+)\.([a-z]+) (.*)$/s.exec(message) ?? [];
  const [, worker] = /^worker-(\d+)$/.exec(role) ?? [];
  return { code, message: rest, at: [...at, ...(worker ? ["workers", Number(worker) - 1] : [role]), key] };
}

const lackingWorkers = (given: number, asked: number, at: FilePath): readonly FileFault[] =>
  given < asked
    ? [
        invalid(
          [...at, "workers"],
          `a generator is to have ${asked} hosts for workers, and ${given} stand here. Give ${asked}, or fewer workers.`,
        ),
      ]
    : [];
