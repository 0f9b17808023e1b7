import type { RentedAsked } from "./topology-asked";

/** The machines of one size of the gateway's: instances by themselves, or nodes of a cluster. */
export function rentedMachines(asked: RentedAsked, gateway: string, workers: number) {
  const { upstream, generator, worker = generator, service } = asked;
  const threadsPerCore = asked.kind === "ec2" ? asked.threadsPerCore : undefined;
  const machine = (instanceType: string) => ({ instanceType, ...(threadsPerCore ? { threadsPerCore } : {}) });
  return {
    upstream: machine(upstream),
    gateway: machine(gateway),
    generator: machine(generator),
    workers: Array.from({ length: workers }, () => machine(worker)),
    // An authorizer, and its store.
    services: service === undefined ? [] : [machine(service), machine(service)],
  };
}
