import { addressOf, folder, type Crew, type GeneratorSite } from "@gatebench/core/contract";

/** Where workers find who coordinates them. */
export const portName = "coordinator";
/** Locust's own. */
export const defaultPort = 5557;

/**
 * One worker for each host. It knows no load: it asks the coordinator for the locustfile. It ends with the run it worked
 * for, and asks for the next.
 */
export function crewOf({ ports, workers }: GeneratorSite, image: string, processes: number): Crew {
  if (workers === 0) return {};
  const share = processes > 1 ? ` --processes ${processes}` : "";
  const port = ports[portName] ?? defaultPort;
  const worker = `locust -f - --worker --master-host ${addressOf("generator")} --master-port ${port}${share}`;
  return {
    workers: [
      {
        name: "locust-worker",
        role: "generator",
        image,
        command: ["sh", "-c", again(worker)],
        // Locust keeps the locustfile it is given in the folder for passing files.
        programs: ["sh", "locust"],
        env: { TMPDIR: folder },
        ports: {},
        openFiles: 65536,
      },
    ],
  };
}

/** Runs the command over and over, and ends it when it is itself ended. */
const again = (command: string) =>
  `trap 'kill "$one"; wait "$one"; exit 0' TERM INT; while :; do ${command} & one=$!; wait "$one"; sleep 1; done`;
