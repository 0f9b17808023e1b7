import { fault, type Fault } from "../../contract";
import { byRole, type Roles } from "../roles";
import { instanceTypeNamed } from "./instance-type";

/** What is asked of a machine on EC2, whether it is one by itself or a node. */
export interface InstanceArgs {
  /** Such as "c5.9xlarge". Another one makes another machine. */
  readonly instanceType: string;
  /** Where its name does not tell them: bare metal EC2 added lately. Default: by the name. */
  readonly cpus?: number;
  /** 1 switches hyper-threading off. @default as the type comes */
  readonly threadsPerCore?: 1 | 2;
  /** Of its disk, GiB. */
  readonly diskGib?: number;
}

/** What a person lets pass that makes figures worse. */
export interface InstanceRules {
  /** Types whose CPU is a credit that runs out. @default false */
  readonly allowBurstable?: boolean;
  /** A generator with fewer CPUs than the gateway. @default false */
  readonly allowSmallGenerator?: boolean;
}

/** What is wrong with machines as a person wrote them. @param leastGib  What the image alone takes of a disk. */
export function instanceFaults(
  machines: Roles<InstanceArgs>,
  rules: InstanceRules,
  leastGib: number,
): readonly Fault[] {
  return [
    ...byRole(machines).flatMap(([role, machine]) => machineFaults(role, machine, rules, leastGib)),
    ...sizeFaults(machines, rules),
  ];
}

/** How many CPUs a machine has, as its options leave them. */
export function cpusOfMachine({ instanceType, cpus, threadsPerCore }: InstanceArgs): number {
  const type = instanceTypeNamed(instanceType);
  const all = cpus ?? type?.cpus ?? 1;
  return threadsPerCore === 1 && type?.threadsPerCore === 2 ? Math.max(1, Math.floor(all / 2)) : all;
}

const option = (message: string): Fault => fault("invalid-option", message);

function machineFaults(
  role: string,
  { instanceType, cpus, threadsPerCore, diskGib }: InstanceArgs,
  { allowBurstable = false }: InstanceRules,
  leastGib: number,
): readonly Fault[] {
  const type = instanceTypeNamed(instanceType);
  if (!type)
    return [option(`${role}.instanceType "${instanceType}" is none; write one as EC2 does, such as "c5.xlarge".`)];
  return [
    type.burstable && !allowBurstable
      ? option(
          `${role}.instanceType ${instanceType} is burstable: what it gives depends on what it did before. Choose a family such as c5 or m5, or give allowBurstable: true.`,
        )
      : [],
    type.cpus === undefined && cpus === undefined
      ? option(`${role}.instanceType ${instanceType} does not tell its CPUs; give ${role}.cpus.`)
      : [],
    cpus !== undefined && (!Number.isInteger(cpus) || cpus < 1)
      ? option(`${role}.cpus is ${cpus}; give a whole number from 1.`)
      : [],
    threadsPerCore === 2 && type.threadsPerCore === 1
      ? option(`${role}.threadsPerCore is 2, and ${instanceType} has one thread to a core. Leave it out.`)
      : [],
    diskGib === undefined || (Number.isInteger(diskGib) && diskGib >= leastGib && diskGib <= 16_384)
      ? []
      : option(`${role}.diskGib is ${diskGib}; give ${leastGib} to 16384: the image alone takes ${leastGib}.`),
  ].flat();
}

/** A generator that is smaller than what it measures measures itself. */
function sizeFaults(
  { gateway, generator, workers = [] }: Roles<InstanceArgs>,
  { allowSmallGenerator = false }: InstanceRules,
): readonly Fault[] {
  const isKnown = [gateway, generator, ...workers].every((one) => !one || instanceTypeNamed(one.instanceType));
  if (!gateway || allowSmallGenerator || !isKnown) return [];
  const sends = [generator, ...workers].reduce((sum, one) => sum + cpusOfMachine(one), 0);
  const takes = cpusOfMachine(gateway);
  return sends >= takes
    ? []
    : [
        option(
          `generator.instanceType ${generator.instanceType} has ${sends} CPUs, and the gateway ${takes}: it would measure itself. Choose one at least as large, or give allowSmallGenerator: true.`,
        ),
      ];
}
