import { fault, secondsOf, type Fault } from "@gatebench/core";
import { ec2Faults, type Ec2MachineArgs, type Ec2Topology, type Ec2TopologyArgs } from "@gatebench/core/ec2";
import { onPath } from "@gatebench/core/local";
import { sshPrograms } from "@gatebench/core/ssh";
import type { StackPlan } from "@gatebench/matrix/stack";
import type { Settings } from "./settings";

/** The machines a plan needs: none for a gateway where there is none. */
export function machinesFor(asked: Settings, { targets }: StackPlan): Ec2TopologyArgs {
  const machine = (instanceType: string): Ec2MachineArgs => ({
    instanceType,
    ...(asked.threadsPerCore === undefined ? {} : { threadsPerCore: asked.threadsPerCore as 1 | 2 }),
  });
  const { sshFrom, sshFromAnywhere, ttl, placementGroup, spot, allowBurstable, allowSmallGenerator } = asked;
  const hasGateway = targets.some(({ adapter }) => adapter.version !== null);
  return {
    ...{ sshFrom, sshFromAnywhere, ttl, placementGroup, spot, allowBurstable, allowSmallGenerator },
    ...{ cidr: asked.cidr, zone: asked.zone, machineImage: asked.machineImage, network: networkOf(asked) },
    credentials: asked.credentials,
    upstream: Array.from({ length: asked.upstreamMachines }, () => machine(asked.upstreamType)),
    ...(hasGateway ? { gateway: machine(asked.gatewayType) } : {}),
    generator: machine(asked.generatorType),
    workers: Array.from({ length: asked.generatorWorkers }, () => machine(asked.workerType)),
    services: Array.from({ length: asked.serviceMachines }, () => machine(asked.serviceType)),
    ...(asked.observe ? { observer: machine(asked.observerType) } : {}),
  };
}

function networkOf({ vpcId, subnetId, firstAddress }: Settings): Ec2TopologyArgs["network"] {
  return vpcId && subnetId && firstAddress ? { vpcId, subnetId, firstAddress } : undefined;
}

/** Everything wrong with the machines, and with how long they live. */
export function machineFaults(
  asked: Settings,
  args: Ec2TopologyArgs,
  { scenario }: StackPlan,
  loadS: number,
): readonly Fault[] {
  const { count = 1 } = scenario.upstream ?? {};
  const given = [asked.vpcId, asked.subnetId, asked.firstAddress].filter((one) => one !== undefined).length;
  return [
    ...ec2Faults(args),
    ...(asked.upstreamMachines <= count
      ? []
      : [
          fault(
            "invalid-option",
            `config.upstreamMachines ${asked.upstreamMachines} is more than the ${count} upstreams of scenario "${scenario.name}". Give at most ${count}, or a scenario with "upstream":{"count":${asked.upstreamMachines}}.`,
          ),
        ]),
    ...(given === 0 || given === 3
      ? []
      : [fault("invalid-option", "config.vpcId, subnetId and firstAddress belong together. Give all three, or none.")]),
    ...(loadS < secondsOf(asked.ttl)
      ? []
      : [
          fault(
            "invalid-option",
            `config.ttl ${asked.ttl} is shorter than the loads, which take ${Math.ceil(loadS / 60)} minutes without the rest. Give a longer one, or fewer or shorter runs.`,
          ),
        ]),
  ];
}

/** What this machine needs for raw output to come from the others. */
export function programFaults({ results }: Settings): readonly Fault[] {
  const missing = sshPrograms.filter((name) => results !== "" && !onPath(name));
  return missing.map((name) =>
    fault(
      "missing-binary",
      `${name} is not on PATH, and raw output comes from the machines by it. Install it, or set config.results to "".`,
    ),
  );
}

/** What a reader of the results has to know of each machine. */
export const described = ({ machines }: Ec2Topology) =>
  Object.fromEntries(
    Object.entries(machines).map(([role, { instance, address, cpus }]) => [
      role,
      {
        instanceType: instance.instanceType,
        cpus,
        privateIp: address,
        publicIp: instance.publicIp,
        image: instance.ami,
      },
    ]),
  );
