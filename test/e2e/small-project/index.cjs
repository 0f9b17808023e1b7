const { Benchmark, GatewayUnderTest, LoadGenerator, UpstreamHost } = require("@gatebench/core");
const { LocalTopology } = require("@gatebench/core/local");
const { repeat } = require("@gatebench/core/measure");
const { staticPayload } = require("@gatebench/core/upstreams");
const { nginx } = require("@gatebench/gateways");
const { curl } = require("./curl.cjs");

const site = new LocalTopology("site", { portBase: 32_000 });
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
const scenario = { name: "plain" };
const target = new GatewayUnderTest("nginx", { host: site.gateway, adapter: nginx(), upstream, scenario });
const generator = new LoadGenerator("curl", { host: site.generator, adapter: curl({ waitS: 0.2 }) });
const load = { model: "closed", connections: 5, duration: "1s" };
const protocol = repeat({ runs: 2, warmUp: false, coolDown: "0s" });
module.exports = { rps: new Benchmark("bench", { generator, target, load, protocol }).rps };
