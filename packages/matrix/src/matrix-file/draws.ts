import { drawn, programsOf, scenarios, type GatewayAdapter, type GeneratorAdapter, type Load } from "@gatebench/core";
import { direct } from "@gatebench/gateways";

/** A gateway rendered for each scenario of the list. Throws where it can do none of them. */
export function drawGateway(gateway: GatewayAdapter): void {
  oneOf(
    Object.values(scenarios).map(
      ({ scenario }) =>
        () =>
          void drawn(gateway, scenario),
    ),
  );
}

/** A generator's command for one load of each model. Throws where it can send none of them. */
export function drawGenerator(generator: GeneratorAdapter): void {
  const targets = [{ adapter: direct(), scenario: { name: "plain" } }];
  oneOf(loads.map((load) => () => void programsOf({ generator, targets, load, workers: 1 })));
}

const loads: readonly Load[] = [
  { model: "closed", connections: 2, duration: "10s" },
  { model: "open", ratePerS: 2, maxInFlight: 2, duration: "10s" },
  { model: "users", users: 2, duration: "10s" },
  { model: "iterations", users: 2, perUser: 2 },
];

/** All of them are tried: each may read options that the others do not. */
function oneOf(tries: readonly (() => void)[]): void {
  const errors: unknown[] = [];
  for (const one of tries) {
    try {
      one();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === tries.length) throw errors[0];
}
