import type { TopologyAsked } from "./topology-asked";

export type Ec2Asked = Extract<TopologyAsked, { kind: "ec2" }>;

/** The machines of one size of the gateway's. */
export function ec2Machines(asked: Ec2Asked, gateway: string, workers: number) {
  const { upstream, generator, worker = generator, threadsPerCore } = asked;
  const machine = (instanceType: string) => ({ instanceType, ...(threadsPerCore ? { threadsPerCore } : {}) });
  return {
    upstream: machine(upstream),
    gateway: machine(gateway),
    generator: machine(generator),
    workers: Array.from({ length: workers }, () => machine(worker)),
  };
}
