/**
 * What stands in for images that are pulled from a registry elsewhere: the very programs that set-up installs on this
 * computer, with the libraries they need. The names are those the adapters ask for; the versions inside are set-up's.
 */
import { fault } from "./shell.mjs";

/**
 * @typedef {object} Recipe
 * @property {string} name
 * @property {string[]} programs  As on PATH here.
 * @property {string[]} [files]  More files or folders of this computer's, put where they lie here.
 * @property {Record<string, string>} [copies]  Files or folders of this repository: path in the image → path here.
 * @property {Record<string, string>} [bundles]  Programs of this repository in TypeScript: path in the image → path here.
 * @property {string} [service]  A program under `services`; its image has nothing else in it, as the published one.
 * @property {string[]} [python]  Programs of a virtual environment on PATH here, which comes along as it is.
 * @property {Record<string, string>} [texts]  Files of its own: path → text; a script begins with #!.
 * @property {string[]} [folders]  To be made, writable for all.
 * @property {string} [standsInFor]  What it is not, where it only reads that program's configuration and does what it says.
 * @property {string[]} [command]  What the image starts of itself.
 * @property {string[]} [entrypoint]  What it starts with whatever command is asked for.
 * @property {string} [user]  By number, where it is not root.
 */

/** As far as an image that is run without a configuration of one's own needs it. */
const nginxConf = `events {}
http {
  include mime.types;
  access_log off;
  server { listen 80; root /usr/share/nginx/html; }
}
`;

/** Asked for its version, it says what it is. */
const standIn = (name, program) => `#!/bin/sh
case "\${1:-}" in version | --version) echo "stand-in for ${name}, of gatebench's tests"; exit 0 ;; esac
exec node /opt/gatebench-stand-in/${program} "$@"
`;

/** As services/Dockerfile makes it. */
const service = (name) => ({ programs: [], service: name, entrypoint: [`gatebench-${name}`], user: "65532:65532" });

/** @type {Record<string, Omit<Recipe, "name">>} */
const recipes = {
  nginx: {
    programs: ["nginx"],
    files: ["/etc/nginx/mime.types"],
    texts: { "/etc/nginx/nginx.conf": nginxConf, "/usr/share/nginx/html/index.html": "nginx on a twin of EC2\n" },
    folders: ["/var/log/nginx", "/var/lib/nginx", "/var/cache/nginx", "/etc/nginx/conf.d", "/usr/share/nginx/html"],
    command: ["nginx", "-g", "daemon off;"],
  },
  envoy: { programs: ["envoy"], command: ["envoy"] },
  redis: {
    programs: ["redis-server", "redis-cli", "cp", "mkdir", "rm"],
    folders: ["/data"],
    command: ["redis-server"],
  },
  wrk: { programs: ["wrk"] },
  hey: { programs: ["hey"] },
  oha: { programs: ["oha", "sqlite3"] },
  k6: { programs: ["k6"] },
  locust: { programs: [], python: ["locust"] },
  "ngrinder-controller": {
    standsInFor: "nGrinder's controller",
    programs: ["node"],
    bundles: { "/opt/gatebench-stand-in/serve.cjs": "packages/generators/test/ngrinder-controller/serve.ts" },
    texts: { "/usr/bin/java": standIn("nGrinder's controller", "serve.cjs") },
  },
  "ngrinder-agent": {
    standsInFor: "nGrinder's agent",
    programs: ["node"],
    bundles: { "/opt/gatebench-stand-in/agent.cjs": "packages/generators/test/ngrinder-controller/agent.ts" },
    texts: { "/scripts/run.sh": standIn("nGrinder's agent", "agent.cjs") },
  },
  "ext-authz": service("ext-authz"),
  ping: service("ping"),
  prometheus: { programs: ["prometheus"] },
  "node-exporter": { programs: ["prometheus-node-exporter"] },
  curl: { programs: ["curl", "openssl"] },
  probe: { programs: ["curl", "openssl", "cut", "mktemp", "sha256sum", "timeout"] },
  // These come with the official image, too.
  node: { programs: ["node", "flock", "prlimit", "mkfifo", "mv", "rm", "sleep"], command: ["node"] },
  shell: { programs: [] },
  tyk: {
    standsInFor: "Tyk Gateway",
    programs: ["node"],
    copies: { "/opt/gatebench-stand-in/tyk.cjs": "test/e2e/tyk-stand-in/tyk.cjs" },
    texts: { "/opt/tyk-gateway/tyk": standIn("Tyk Gateway", "tyk.cjs") },
  },
  kong: {
    standsInFor: "Kong Gateway",
    programs: ["node"],
    copies: {
      "/opt/gatebench-stand-in": "test/e2e/kong-stand-in",
      "/opt/gatebench-stand-in/node_modules/yaml": "node_modules/yaml",
    },
    texts: {
      "/usr/local/bin/kong": standIn("Kong Gateway", "kong.cjs"),
      "/usr/local/openresty/nginx/sbin/nginx": standIn("Kong Gateway", "kong.cjs nginx"),
    },
  },
  "go-bench-suite": {
    standsInFor: "go-bench-suite",
    programs: ["node"],
    copies: { "/opt/gatebench-stand-in/go-bench-suite.cjs": "test/e2e/go-bench-suite-stand-in/go-bench-suite.cjs" },
    texts: { "/opt/bench/go-bench-suite": standIn("go-bench-suite", "go-bench-suite.cjs") },
  },
};

/** By repository, whatever the tag. */
const repositories = {
  nginx: "nginx",
  "envoyproxy/envoy": "envoy",
  redis: "redis",
  "gatebench/wrk": "wrk",
  "gatebench/hey": "hey",
  "gatebench/oha": "oha",
  "grafana/k6": "k6",
  "prom/prometheus": "prometheus",
  "prom/node-exporter": "node-exporter",
  "locustio/locust": "locust",
  "ngrinder/controller": "ngrinder-controller",
  "ngrinder/agent": "ngrinder-agent",
  "curlimages/curl": "curl",
  "nicolaka/netshoot": "probe",
  node: "node",
  busybox: "shell",
  alpine: "shell",
  debian: "shell",
  "tykio/tyk-gateway": "tyk",
  kong: "kong",
  "mangomm/go-bench-suite": "go-bench-suite",
  "gatebench/ext-authz": "ext-authz",
  "gatebench/ping": "ping",
};

/** @param {string} image  `repository:tag`, or with a digest @returns {Recipe} */
export function imageFor(image) {
  const repository = image.replace(/@sha256:.*$/, "").replace(/:[^:/]+$/, "");
  const name = repositories[repository];
  if (name) return { name, ...recipes[name] };
  const known = Object.keys(repositories).join(", ");
  throw fault(
    "twin-image",
    `the twin has no image "${image}". It makes, with any tag: ${known}. Add "${repository}" to test/twin/images.mjs.`,
  );
}

/** Programs that are meant to come in images, and so are hidden on the machines themselves. */
export const programsInImages = [
  "nginx",
  "envoy",
  "redis-server",
  "redis-cli",
  "wrk",
  "hey",
  "oha",
  "k6",
  "node",
  "locust",
  "prometheus",
  "prometheus-node-exporter",
];
