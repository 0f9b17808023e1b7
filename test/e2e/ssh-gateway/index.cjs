/**
 * A gateway on a machine reached over SSH, which may not be as it should be. MACHINES and CREDENTIALS are what a topology
 * takes, OPTIONS are NGINX's; with BROKEN its configuration has a word that NGINX does not know.
 */
const { GatewayUnderTest, UpstreamHost } = require("@gatebench/core");
const { SshTopology } = require("@gatebench/core/ssh");
const { staticPayload } = require("@gatebench/core/upstreams");
const { nginx } = require("@gatebench/gateways");

const { MACHINES, CREDENTIALS = "{}", OPTIONS = "{}", BROKEN } = process.env;

function broken(adapter) {
  const text = (config) => config.replace("events {", "no_such_directive;\nevents {");
  const render = (...site) => {
    const { workloads, ...rest } = adapter.render(...site);
    const changed = workloads.map((workload) => {
      const files = { ...workload.files, "nginx.conf": text(workload.files["nginx.conf"]) };
      return { ...workload, files };
    });
    return { ...rest, workloads: changed };
  };
  return { ...adapter, render };
}

const site = new SshTopology("site", { ...JSON.parse(MACHINES), credentials: JSON.parse(CREDENTIALS) });
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
const adapter = nginx(JSON.parse(OPTIONS));
const scenario = { name: "secure", scheme: "https", auth: "key" };
new GatewayUnderTest("nginx", { host: site.gateway, adapter: BROKEN ? broken(adapter) : adapter, upstream, scenario });
