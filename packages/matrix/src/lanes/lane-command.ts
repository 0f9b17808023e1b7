import type { Command } from "commander";
import { Experiment } from "./experiment";
import { datedPrices } from "../prices";
import { estimate } from "../plan/estimate";
import { expand } from "../plan/expand";
import { runLane } from "./lane-run";
import type { LaneIsTold, LaneSays } from "./lane-words";
import { PatientStop } from "./patient-stop";
import { readMatrix } from "../matrix-file/read-matrix";

/** `gatebench lane FILE`: what a matrix starts for each of its lanes. Nobody else does. */
export function laneCommand(command: Command): void {
  command
    .argument("<file>")
    .requiredOption("--lane <name>")
    .requiredOption("--results <folder>")
    .action(async (file: string, { lane: name, results }: { lane: string; results: string }) => {
      const matrix = await readMatrix(file);
      const lane = expand(matrix).lanes.find((one) => one.name === name);
      if (!lane) throw new Error(`${file} has no lane ${name}.`);
      const stop = listened();
      const experiment = new Experiment(results, matrix.name);
      const [estimated] = estimate({ lanes: [lane] }, matrix, datedPrices).lanes;
      say({
        says: "ended",
        outcome: await runLane({ matrix, lane, experiment, stop, say, ttl: estimated?.ttl }),
      });
      process.disconnect?.();
    });
}

const say = (words: LaneSays): void => void process.send?.(words);

/** Who began us tells us to stop; once it is gone, its successor begins our lane anew and finds what runs. */
function listened(): PatientStop {
  const stop = new PatientStop();
  process.on("message", (told: LaneIsTold) => {
    if (told === "stop") stop.ask();
  });
  process.on("disconnect", () => process.exit(1));
  // An engine that was ended leaves calls of its program unanswered; its own command tells.
  process.on("unhandledRejection", (error: Error) => process.stderr.write(`${error.message}\n`));
  return stop;
}
