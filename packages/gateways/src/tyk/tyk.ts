import {
  addressOf,
  fileOf,
  type Certificate,
  type GatewayAdapter,
  type GatewaySite,
  type ResolvedScenario,
  type Workload,
} from "@gatebench/core/contract";
import { requestsOf } from "../requests";
import { apiDefinitions } from "./api-definition";
import { image } from "./image";
import { keyRequests } from "./keys";
import { limiters, refuseLimit } from "./rate-limit";
import { redis } from "../redis";
import { redisImage } from "../redis-image";
import { curveWithoutMlKem, refuseCipher, tlsOnly } from "./tls";
import { tykConf } from "./tyk-conf";

/** Native files by path: "tyk.conf", and API definitions as "apps/….json". */
export type TykFiles = { readonly "tyk.conf": string } & Readonly<Record<string, string>>;

export interface TykOptions {
  /** Version of the official image, without the "v". Another version is another gateway: its results stand in a row of their own. */
  readonly version?: string;
  /**
   * How much the heap may grow before it is collected, in percent. Higher: fewer collections, a lower P99, more memory,
   * up to 1 GiB for each worker. Go's own is 100.
   * @default 1600, as in Tyk's own performance tests
   */
  readonly gogc?: number;
  /** Tag of the official Redis image. It keeps keys, analytics and shared limits. */
  readonly redisVersion?: string;
  /**
   * Files of your own in place of ours. They are made for a site, because ports and upstreams differ from host to host,
   * and from ours, to change a few lines of them or to ignore them. They may hold references, such as `gatewaySecret`.
   * What is sent and which keys are created stays the same: listen paths `/route-1/`, …, with the API ids `route-1`, ….
   */
  readonly configuration?: (ours: TykFiles, site: GatewaySite, scenario: ResolvedScenario) => TykFiles;
}

/** Tyk Gateway OSS with API definitions in files, and the Redis it needs. */
export function tyk(options: TykOptions = {}): GatewayAdapter {
  const { version = image.version, redisVersion = redisImage.version, gogc, configuration } = options;
  return {
    name: "tyk",
    version,
    ports: ["entry", "control", "redis"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      tlsOnly,
      auth: ["key", "basic"],
      credentials: ["header", "cookie"],
      rateLimit: limiters,
      analytics: true,
      balancing: ["round-robin"],
      routes: 100,
      consumers: 100,
    },
    render: (scenario, site) => {
      refuseLimit(scenario);
      refuseCipher(scenario);
      return {
        kind: "containers",
        workloads: [
          redis(redisVersion, site.ports.redis as number),
          workload({ version, gogc, configuration }, scenario, site),
        ],
        entry: { scheme: scenario.scheme, host: addressOf("tyk"), port: site.ports.entry as number },
        setup: keyRequests(scenario, site),
        requests: requestsOf(scenario, site),
      };
    },
  };
}

/** Where image and packages put it; the image has neither a shell nor this folder on its PATH. */
const program = "/opt/tyk-gateway/tyk";

function workload(
  { version, gogc = 1600, configuration = (ours) => ours }: TykOptions & { readonly version: string },
  scenario: ResolvedScenario,
  site: GatewaySite,
): Workload {
  const { entry, control } = site.ports as { readonly entry: number; readonly control: number };
  const ours = { "tyk.conf": tykConf(scenario, site), ...apiDefinitions(scenario, site) };
  return {
    name: "tyk",
    role: "gateway",
    image: image.of(version),
    versionCommand: [program, "version"],
    command: [program, "--conf", fileOf("tyk.conf")],
    env: { ...goRuntime(gogc, site), ...(scenario.scheme === "https" ? curveWithoutMlKem : {}) },
    files: { ...configuration(ours, site, scenario), ...(site.certificate ? pemFiles(site.certificate) : {}) },
    ports: { entry, control },
    // What Tyk asks for; below, it warns at every start.
    openFiles: 80_000,
    readiness: { port: control, path: "/ready", scheme: scenario.scheme, within: "30s" },
  };
}

const goRuntime = (gogc: number, { workers }: GatewaySite) => ({
  // The same number of workers as in every gateway; Tyk has no setting of its own.
  GOMAXPROCS: String(workers),
  GOGC: String(gogc),
  // Beyond, Go collects as often as it takes: half of the 2 GiB that compute instances have for each CPU.
  GOMEMLIMIT: `${workers}GiB`,
});

const pemFiles = ({ certificate, key }: Certificate) => ({ "certificate.pem": certificate, "key.pem": key });
