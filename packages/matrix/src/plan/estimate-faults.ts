import { fault, secondsOf } from "@gatebench/core";
import { dollars } from "../prices";
import { longestTtlS, type Estimate } from "./estimate";
import type { FileFault, FilePath, Matrix } from "../matrix-file/matrix";

/** Why a matrix is not to be begun with this budget; nothing where nothing costs anything. */
export function budgetFaults(estimated: Estimate, budgetUsd: number | undefined): readonly FileFault[] {
  if (budgetUsd === undefined) return [];
  return [...unpricedFaults(estimated, budgetUsd), ...overBudget(estimated, budgetUsd)];
}

const atBudget: FilePath = ["budgetUsd"];

function unpricedFaults(estimated: Estimate, budgetUsd: number): readonly FileFault[] {
  if (estimated.unpriced.length === 0) return [];
  const message = `a budget of ${dollars(budgetUsd)} cannot be kept: ${unpricedText(estimated)}`;
  return [{ ...fault("unknown-price", message), at: atBudget }];
}

/** Which types have no price, and where else it may be had. */
export function unpricedText({ unpriced, priceTable }: Pick<Estimate, "unpriced" | "priceTable">): string {
  const regions = [...new Set(unpriced.map(({ region }) => region))].map((region) => {
    const types = unpriced.filter((one) => one.region === region).map(({ instanceType }) => instanceType);
    return `${types.join(", ")} in ${region}`;
  });
  const { about, instead = "Choose another type or region, or leave the budget out." } = priceTable;
  return `${about} has no price of ${regions.join("; ")}. ${instead}`;
}

function overBudget({ usd }: Estimate, budgetUsd: number): readonly FileFault[] {
  if (usd === null || usd <= budgetUsd) return [];
  const message = `the machines are estimated to cost ${dollars(usd)}, and the budget is ${dollars(budgetUsd)}. Raise budgetUsd, or measure less: fewer sizes, loads or repetitions, or shorter runs.`;
  return [{ ...fault("over-budget", message), at: atBudget }];
}

/** Where machines would end themselves before their lane has ended. */
export function ttlFaults({ lanes }: Estimate, { file, places }: Matrix): readonly FileFault[] {
  return lanes.flatMap(({ name, ttl, time }) => {
    const perDeploymentS = time.totalS / time.deployments;
    if (ttl === undefined || secondsOf(ttl) >= perDeploymentS) return [];
    const topology = JSON.stringify(places.find((place) => place.name === name)?.topology);
    const index = file.topologies.findIndex((one) => JSON.stringify(one) === topology);
    const message = `lane ${name} is estimated to take ${Math.ceil(perDeploymentS / 60)} minutes, and its machines end themselves after ${ttl}. Give a longer ttl (at most ${longestTtlS / 3600}h), or measure less in one lane.`;
    return [{ ...fault("invalid-option", message), at: index < 0 ? ["topologies"] : ["topologies", index, "ttl"] }];
  });
}
