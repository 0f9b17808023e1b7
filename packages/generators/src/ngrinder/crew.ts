import { addressOf, folder, type Crew, type GeneratorSite, type Ports } from "@gatebench/core/contract";
import { image } from "./image";

/** What listens on the job's own host: the web interface, what agents report to, and the console of the one test at a time. */
export const portNames = ["http", "agents", "console"] as const;

/** The ports of nGrinder's images, where none were allocated. */
export const defaultPorts: Readonly<Record<(typeof portNames)[number], number>> = {
  http: 80,
  agents: 16001,
  console: 12000,
};

export const portsOf = (ports: Ports = {}): typeof defaultPorts => ({ ...defaultPorts, ...ports });

/** A controller that serves one test at a time, and an agent on each worker's host. */
export function crewOf(version: string, { ports, workers }: GeneratorSite): Crew {
  const { http, agents, console } = portsOf(ports);
  return {
    services: [
      {
        name: "ngrinder-controller",
        role: "generator",
        image: image.controller(version),
        command: controllerCommand(version, { http, agents, console }, workers),
        ports: { http, agents, console },
        openFiles: 65536,
        readiness: { port: http, path: "/check/healthcheck", within: "180s" },
      },
    ],
    workers: [
      {
        name: "ngrinder-agent",
        role: "generator",
        image: image.agent(version),
        command: [
          "/scripts/run.sh",
          `${addressOf("generator")}:${http}`,
          `--controller-host=${addressOf("generator")}`,
          `--controller-port=${agents}`,
        ],
        env: { JAVA_TOOL_OPTIONS: agentProperties },
        ports: {},
        openFiles: 65536,
      },
    ],
  };
}

/** By JVM property: nGrinder puts them above its system.conf (Config.loadProperties). */
function controllerCommand(version: string, ports: typeof defaultPorts, workers: number): string[] {
  const properties = {
    // Not the system's: the controller refuses that since 3.5.8.
    "java.io.tmpdir": folder,
    // One test at a time has one console port.
    "controller.max_concurrent_test": 1,
    "controller.console_port_base": ports.console,
    "controller.max_agent_per_test": Math.max(10, workers),
    // nGrinder's own are 8 hours and 10,000 runs.
    "controller.max_run_hour": 25,
    "controller.max_run_count": 1_000_000,
    // A minute without a good answer is a result, not a mistake.
    "controller.ignore_too_low_tps": true,
    // It tells its maker the host's address and reads news from the network.
    "controller.usage_report": false,
    "controller.front_page_enabled": false,
  };
  return [
    "java",
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    "-jar",
    `/opt/ngrinder-controller-${version}.war`,
    `--port=${ports.http}`,
    `--ngrinder-home=${folder}/home`,
    // Not as a property: the starter overwrites it with 16001.
    `--controller-port=${ports.agents}`,
  ];
}

/** An agent sends the log of its first process only, and starts its processes without TLS server names. */
const agentProperties = [
  "-Dfile.encoding=UTF-8",
  "-Dsun.jnu.encoding=UTF-8",
  "-Dagent.all_logs=true",
  "-Dagent.java_opt=-Djsse.enableSNIExtension=true",
].join(" ");
