/**
 * Gateways that do not start, each printing what it was given in another way, and one whose set-up is refused. What they
 * print ends in errors of the engine, where no secret may stand. CREDENTIALS holds the values, GATEWAYS names which of them.
 */
const { GatewayUnderTest, UpstreamHost, fileOf, reference } = require("@gatebench/core");
const { LocalTopology } = require("@gatebench/core/local");
const { staticPayload } = require("@gatebench/core/upstreams");
const { nginx } = require("@gatebench/gateways");

const key = reference("consumer-1.key");
const secure = { name: "secure", scheme: "https", auth: "key" };

const gateways = {
  "unknown-directive": edited("events {", `"${key}" on;\nevents {`),
  "prints-configuration": printing('grep -m3 consumer-1 "$0" >&2'),
  "prints-arguments": printing('echo "$2 $@" >&2'),
  "prints-certificate-key": printing('tail -5 "$1" >&2'),
  "prints-base64": printing('base64 "$1" | tail -4 >&2; printf %s "$2" | base64 >&2'),
  "prints-one-line": printing('base64 -w0 "$1" >&2'),
  "prints-url": printing('node -p "encodeURIComponent(process.argv[1])" "$2" >&2'),
  // The last thousand characters are shown: the key stands where they begin.
  "prints-much": printing('printf "%s %0985d" "$2" 0 >&2'),
  "refuses-set-up": refusingSetUp(),
};

function changed(change) {
  const adapter = nginx();
  return { ...adapter, render: (scenario, site) => change(adapter.render(scenario, site)) };
}

function changedWorkload(change) {
  return changed((deployment) => ({ ...deployment, workloads: deployment.workloads.map(change) }));
}

function edited(from, to) {
  return changedWorkload((workload) => {
    const text = workload.files["nginx.conf"].replace(from, to);
    return { ...workload, files: { ...workload.files, "nginx.conf": text } };
  });
}

function printing(script) {
  const command = ["sh", "-c", `${script}; exit 1`, fileOf("nginx.conf"), fileOf("key.pem"), key];
  return changedWorkload((workload) => ({ ...workload, command }));
}

function refusingSetUp() {
  return changed((deployment) => {
    const [workload] = deployment.workloads;
    const answer = `location = /refuses {\nreturn 418 "$http_apikey";\n}\nlocation = /status`;
    const files = {
      ...workload.files,
      "nginx.conf": workload.files["nginx.conf"].replace("location = /status", answer),
    };
    const request = { method: "POST", path: `/refuses?key=${key}`, headers: { apikey: key }, body: key, expect: 201 };
    const setup = [{ ...request, port: workload.ports.status }];
    return { ...deployment, workloads: [{ ...workload, files }], setup };
  });
}

const site = new LocalTopology("site", { credentials: JSON.parse(process.env.CREDENTIALS) });
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
for (const name of process.env.GATEWAYS.split(","))
  new GatewayUnderTest(name, { host: site.gateway, adapter: gateways[name], upstream, scenario: secure });
