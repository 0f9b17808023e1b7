/** Somebody's own program as a gateway, from a file of plain data: measured like ours, without an adapter. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultSchema } from "@gatebench/core";
import { leftBehind } from "./rig";

jest.setTimeout(120_000);

const repository = join(__dirname, "..", "..");
const cli = join(repository, "packages/matrix/dist/bin.js");
const elsewhere = mkdtempSync(join(tmpdir(), "gatebench-elsewhere-"));

/** nginx stands for any program that takes a configuration file. */
const mine = `
const { container } = require("@gatebench/gateways");
exports.mine = container({
  name: "mine",
  ports: ["entry", "status"],
  workloads: {
    image: "nginx:1.30.4",
    command: ["nginx", "-p", "<gatebench:folder>", "-c", "<gatebench:file.mine.conf>", "-e", "stderr"],
    files: {
      "mine.conf": \`
        daemon off; pid mine.pid; worker_processes <gatebench:workers>; error_log stderr crit; events {}
        http {
          client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e; access_log off;
          client_body_buffer_size 1m;
          upstream up { server <gatebench:upstream-1>; keepalive 64; }
          server {
            listen <gatebench:bind>:<gatebench:port.entry>; keepalive_requests 1000000;
            location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; }
          }
          server { listen <gatebench:bind>:<gatebench:port.status>; location = /status { stub_status; } }
        }\`,
    },
    readiness: { port: "status", path: "/status" },
  },
  counters: [{
    port: "status", path: "/status", adds: { requests: 1, connections: 1 },
    values: { requests: "requests\\\\s+\\\\d+\\\\s+\\\\d+\\\\s+(\\\\d+)", connections: "requests\\\\s+(\\\\d+)" },
  }],
});
`;

beforeAll(() => {
  mkdirSync(join(elsewhere, "node_modules", "@gatebench"), { recursive: true });
  for (const name of ["core", "gateways"])
    symlinkSync(join(repository, "packages", name), join(elsewhere, "node_modules", "@gatebench", name));
  writeFileSync(join(elsewhere, "mine.cjs"), mine);
});
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

const bench = (scenario: string) => {
  const options = ["--quick", "--scenario", scenario, "--generator", "wrk", "--duration", "1s", "--connections", "8"];
  const args = [cli, "bench", "--gateway", "./mine.cjs", ...options];
  return spawnSync(process.execPath, args, { cwd: elsewhere, encoding: "utf8" });
};

test("it is deployed, verified and measured, by its own counters too", () => {
  const { status, stderr } = bench("plain");
  expect([status, stderr]).toEqual([0, expect.stringContaining("mine")]);
  const [at = ""] = readdirSync(join(elsewhere, "results"));
  const text = readFileSync(join(elsewhere, "results", at, "result.json"), "utf8");
  const found = resultSchema.parse(JSON.parse(text)).cells.find(({ gateway }) => gateway === "mine");
  expect(found?.verification.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(found?.verification.filter(({ verdict }) => verdict === "held").length).toBeGreaterThan(3);
  expect(found?.rps).toBeGreaterThan(0);
  expect(found?.verdict.rps).toBe("indicative");
  const counted = found?.runs.map(({ counters }) => counters?.gateway?.requests ?? 0) ?? [];
  expect(Math.max(...counted)).toBeGreaterThan(100);
  expect(leftBehind()).toEqual([]);
});

test("what it does not claim is refused before anything is created", () => {
  const { status, stderr } = bench("key-auth");
  expect(status).not.toBe(0);
  expect(stderr).toContain(
    'unsupported-policy: mine cannot enforce key in scenario "key-auth". It enforces: nothing. Drop the policy, or leave mine out of this row of the matrix.',
  );
});
