/** Native files of a person's own in place of ours: verified like ours, measured where they do what is asked, and never where not. */
import { broken, type Cell, type GatewayAdapter, type Scenario, type Verification } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { envoy, nginx } from "@gatebench/gateways";
import { benchProgram, leftBehind, openRig, type Rig } from "./rig";

jest.setTimeout(120_000);

let rig: Rig;
beforeEach(async () => (rig = await openRig("own-configuration")));
afterEach(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

const scenario: Scenario = { name: "key-auth", auth: "key" };
const refuses = "if ($known = 0) { return 401; }";
const keeps = "keepalive 512;";

const ownNginx = (without = "") =>
  nginx({
    configuration: {
      "nginx.conf": `
daemon off;
pid nginx.pid;
worker_processes <gatebench:workers>;
error_log stderr crit;
events {}
http {
    include <gatebench:file.consumers.conf>;
    upstream mine { server <gatebench:upstream-1>; ${keeps} }
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    server {
        listen <gatebench:bind>:<gatebench:port.entry>;
        ${refuses}
        location /route-1/ { proxy_pass http://mine/; }
    }
    include <gatebench:file.status.conf>;
}
`.replace(without, ""),
      "consumers.conf":
        'map_hash_bucket_size 256; map $http_apikey $known { default 0; "<gatebench:consumer-1.key>" 1; }',
    },
  });

const keyFilter = `
                  - name: envoy.filters.http.api_key_auth
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.api_key_auth.v3.ApiKeyAuth
                      credentials: [{ key: "<gatebench:consumer-1.key>", client: one }]
                      key_sources: [{ header: apikey }]`;

const ownEnvoy = (without = "") =>
  envoy({
    configuration: {
      "envoy.yaml": `
admin: { address: { socket_address: { address: "<gatebench:bind>", port_value: <gatebench:port.admin> } } }
static_resources:
  listeners:
    - name: mine
      stat_prefix: gateway
      address: { socket_address: { address: "<gatebench:bind>", port_value: <gatebench:port.entry> } }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: gateway
                http_filters:${keyFilter}
                  - name: envoy.filters.http.router
                    typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
                route_config:
                  virtual_hosts:
                    - name: mine
                      domains: ["*"]
                      routes: [{ match: { prefix: /route-1/ }, route: { cluster: mine, prefix_rewrite: / } }]
  clusters:
    - name: mine
      type: STRICT_DNS
      load_assignment:
        cluster_name: mine
        endpoints:
          - lb_endpoints:
              - endpoint:
                  address:
                    socket_address: { address: "<gatebench:upstream-1.host>", port_value: <gatebench:upstream-1.port> }
`.replace(without, ""),
    },
  });

async function measured(targets: Readonly<Record<string, GatewayAdapter>>) {
  const { program, seen } = benchProgram({
    targets: Object.fromEntries(Object.entries(targets).map(([name, adapter]) => [name, { adapter, scenario }])),
    protocol: repeat({ runs: 1, warmUp: false, coolDown: "0s" }),
  });
  await rig.up(program);
  return seen;
}

test("they are verified and measured, their counters are read, and the result holds their text", async () => {
  const { verifications, cells } = await measured({ nginx: ownNginx(), envoy: ownEnvoy() });
  for (const name of ["nginx", "envoy"] as const) {
    expect([name, broken(verifications[name] as Verification)]).toEqual([name, []]);
    const { rps, runs, configuration } = cells[name] as Cell;
    expect(rps).toBeGreaterThan(0);
    expect(runs[0]?.counters?.gateway?.requests).toBeGreaterThan(0);
    expect(JSON.stringify(configuration)).toContain("<gatebench:consumer-1.key>");
  }
  expect((cells.nginx as Cell).configuration["nginx: nginx.conf"]).toMatch(/listen <gatebench:bind>:\d+;/);
});

const unguarded = ["refuses a wrong credential", "refuses a missing credential"];

test("a file that does not do what the scenario asks is found, by name of the law, and never measured", async () => {
  const { verifications, cells } = await measured({
    open: ownNginx(refuses),
    unkept: ownNginx(keeps),
    "open-envoy": ownEnvoy(keyFilter),
  });
  const found = Object.entries(verifications).map(([name, each]) => [name, broken(each).map(({ law }) => law)]);
  expect(Object.fromEntries(found)).toEqual({
    open: unguarded,
    unkept: ["keeps its connections to the upstream as asked"],
    "open-envoy": unguarded,
  });
  for (const { runs, verdict } of Object.values(cells)) {
    expect(runs).toEqual([]);
    expect(verdict.rps).not.toBe("sound");
  }
});
