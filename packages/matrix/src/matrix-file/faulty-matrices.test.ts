/** Files as people mistype them: each gives one line that says where, what, what is allowed, and starts nothing. */
import * as childProcess from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMatrix } from "./read-matrix";

jest.mock("node:child_process", () => {
  const real = jest.requireActual<typeof childProcess>("node:child_process");
  return { ...real, spawn: jest.fn(real.spawn), spawnSync: jest.fn(real.spawnSync), execFile: jest.fn(real.execFile) };
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), "gatebench-matrix-")));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, "matrix.yaml");
const sound = `name: x
gateways: [nginx]
`;

/** Its lines as somebody in its folder sees them. */
async function linesOf(text: string): Promise<readonly string[]> {
  writeFileSync(file, text);
  writeFileSync(join(folder, "key"), "");
  const refused = await readMatrix(file).then(
    () => new Error("it was not refused"),
    (error: Error) => error,
  );
  const here = refused.message.replaceAll(file, "matrix.yaml").replaceAll(folder, "FOLDER");
  // Why a module cannot be found is the runtime's to say.
  return here.replace(/\(Cannot [^)]*\)/, "(…)").split("\n");
}

const faulty: readonly [why: string, text: string, line: string][] = [
  ["nothing in it", ``, `invalid-matrix: matrix.yaml:1:1: the file is empty. Begin it with "name: " and "gateways: ".`],
  [
    "only comments",
    `# to be written
`,
    `invalid-matrix: matrix.yaml:1:1: the file is empty. Begin it with "name: " and "gateways: ".`,
  ],
  [
    "a list at its root",
    `- nginx
`,
    `invalid-matrix: matrix.yaml:1:1: a list is not a mapping; write its keys as lines, key: value.`,
  ],
  [
    "a text at its root",
    `nginx
`,
    `invalid-matrix: matrix.yaml:1:1: "nginx" is not a mapping; write its keys as lines, key: value.`,
  ],
  [
    "a tab for indentation",
    `name: x
gateways:
	- nginx
`,
    `invalid-matrix: matrix.yaml:3:1: a tab stands at the beginning of the line. Indent with blanks.`,
  ],
  [
    "one key twice",
    `${sound}name: y
`,
    `invalid-matrix: matrix.yaml:3:1: the key name stands here a second time. Keep one of them.`,
  ],
  [
    "two documents",
    `${sound}---
name: y
`,
    `invalid-matrix: matrix.yaml:3:1: a second document begins here. A file is one matrix; drop the "---", or make it another file.`,
  ],
  [
    "a bracket that is never closed",
    `name: x
gateways: [nginx
`,
    `invalid-matrix: matrix.yaml:3:1: this is no YAML (Flow sequence in block collection must be sufficiently indented and end with a ]). Look at the indentation, brackets and quotes here and above.`,
  ],
  [
    "a quote that is never closed",
    `name: "x
gateways: [nginx]
`,
    `invalid-matrix: matrix.yaml:3:1: this is no YAML (Missing closing "quote). Look at the indentation, brackets and quotes here and above.`,
  ],
  [
    "a line that is indented too little",
    `name: x
gateways:
  - gateway: nginx
   as: y
`,
    `invalid-matrix: matrix.yaml:4:1: this is no YAML (Sequence item without - indicator). Look at the indentation, brackets and quotes here and above.`,
  ],
  [
    "an anchor that is not there",
    `name: x
gateways: *mine
`,
    `invalid-matrix: matrix.yaml:2:11: no anchor &mine stands above this line. Spell both alike.`,
  ],
  [
    "a tag of another program",
    `name: !include x
gateways: [nginx]
`,
    `invalid-matrix: matrix.yaml:1:7: the tag !include is of another program. Write the value without it.`,
  ],
  [
    "lines that stand for billions",
    `name: x
a: &a [1,1,1,1,1,1,1,1,1,1,1,1]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
gateways: [*c, *c, *c]
`,
    `invalid-matrix: matrix.yaml:1:1: its aliases stand for more than a matrix can hold. Write out what they stand for.`,
  ],
  [
    "no name",
    `gateways: [nginx]
`,
    `invalid-matrix: matrix.yaml:1:1: name: it is missing; give a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned".`,
  ],
  [
    "a name in capitals",
    `name: My Matrix
gateways: [nginx]
`,
    `invalid-matrix: matrix.yaml:1:7: name: "My Matrix" is not a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned".`,
  ],
  [
    "a name of 41 letters",
    `name: aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde
gateways: [nginx]
`,
    `invalid-matrix: matrix.yaml:1:7: name: "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde" is not a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned".`,
  ],
  [
    "no gateways",
    `name: x
`,
    `invalid-matrix: matrix.yaml:1:1: gateways: it is missing; give a list; write each entry as a line that begins with "- ".`,
  ],
  [
    "gateways left empty",
    `name: x
gateways:
`,
    `invalid-matrix: matrix.yaml:2:10: gateways: nothing is not a list; write each entry as a line that begins with "- ".`,
  ],
  [
    "gateways that are no list",
    `name: x
gateways: nginx
`,
    `invalid-matrix: matrix.yaml:2:11: gateways: "nginx" is not a list; write each entry as a line that begins with "- ".`,
  ],
  [
    "an empty list",
    `name: x
gateways: []
`,
    `invalid-matrix: matrix.yaml:2:11: gateways: the list is empty; give at least one entry.`,
  ],
  [
    "a mistyped key",
    `${sound}scenarois: [plain]
`,
    `unknown-key: matrix.yaml:3:1: scenarois: this key is not known; did you mean scenarios? Known here: name, preset, gateways, scenarios, generators, loads, topologies, upstream, protocol, repetitions, warmUp, coolDown, rounds, include, exclude, seed, parallel, budgetUsd, published, differsIn.`,
  ],
  [
    "a key of a prototype",
    `${sound}__proto__: { parallel: 2 }
`,
    `unknown-key: matrix.yaml:3:1: __proto__: this key is not known. Known here: name, preset, gateways, scenarios, generators, loads, topologies, upstream, protocol, repetitions, warmUp, coolDown, rounds, include, exclude, seed, parallel, budgetUsd, published, differsIn.`,
  ],
  [
    "a gateway that is a number",
    `name: x
gateways: [5]
`,
    `invalid-matrix: matrix.yaml:2:12: gateways[0]: 5 is not a gateway; write its name, such as nginx, or "gateway: nginx" with what else is to be said of it.`,
  ],
  [
    "a gateway that is not there",
    `name: x
gateways: [nginx, evnoy]
`,
    `unknown-gateway: matrix.yaml:2:19: gateways[1]: "evnoy" is not one of direct, envoy, istio, kong, nginx, nginx-ingress-controller, tyk, nor a package or path that can be loaded (…); did you mean envoy?`,
  ],
  [
    "a gateway in a file that is not there",
    `name: x
gateways: [./mine.js]
`,
    `unknown-gateway: matrix.yaml:2:12: gateways[0]: "./mine.js" is not one of direct, envoy, istio, kong, nginx, nginx-ingress-controller, tyk, nor a package or path that can be loaded (…).`,
  ],
  [
    "a gateway without its name",
    `name: x
gateways:
  - as: mine
`,
    `invalid-matrix: matrix.yaml:3:5: gateways[0].gateway: it is missing; give the name of a gateway.`,
  ],
  [
    "a label that is no name",
    `name: x
gateways:
  - gateway: nginx
    as: Foo_Bar
`,
    `invalid-matrix: matrix.yaml:4:9: gateways[0].as: "Foo_Bar" is not a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned".`,
  ],
  [
    "a label that the baseline has",
    `name: x
gateways: [{ gateway: nginx, as: direct }]
`,
    `invalid-matrix: matrix.yaml:2:34: gateways[0].as: "direct" is the path without a gateway, which is measured beside all of them. Choose another name.`,
  ],
  [
    "one gateway twice",
    `name: x
gateways: [nginx, nginx]
`,
    `invalid-matrix: matrix.yaml:2:19: gateways[1]: "nginx" stands here a second time. Give one of them a name of its own: "as: " and the name.`,
  ],
  [
    "an option nobody reads",
    `name: x
gateways: [{ gateway: tyk, options: { goc: 400 } }]
`,
    `unknown-key: matrix.yaml:2:39: gateways[0].options.goc: tyk has no such option; did you mean gogc? It reads: configuration, gogc, redisVersion, version.`,
  ],
  [
    "options for one that has none",
    `name: x
gateways: [{ gateway: direct, options: { a: 1 } }]
`,
    `unknown-key: matrix.yaml:2:42: gateways[0].options.a: direct takes no options. Leave them out.`,
  ],
  [
    "a version without quotes",
    `name: x
gateways: [{ gateway: nginx, options: { version: 1.20 } }]
`,
    `invalid-option: matrix.yaml:2:50: gateways[0].options.version: 1.2 is not a text. Write a version in quotes, such as "1.30.4".`,
  ],
  [
    "options that are a text",
    `name: x
gateways: [{ gateway: nginx, options: fast }]
`,
    `invalid-matrix: matrix.yaml:2:39: gateways[0].options: "fast" is not options; write each as a line, name: value.`,
  ],
  [
    "a generator that is not there",
    `${sound}generators: [wkr]
`,
    `unknown-generator: matrix.yaml:3:14: generators[0]: "wkr" is not one of hey, k6, locust, ngrinder, oha, wrk, nor a package or path that can be loaded (…); did you mean wrk?`,
  ],
  [
    "an option of a generator that cannot be",
    `${sound}generators: [{ generator: hey, options: { timeout: 20 } }]
`,
    `invalid-option: matrix.yaml:3:41: generators[0].options: 20 is not a duration.`,
  ],
  [
    "an option of a generator nobody reads",
    `${sound}generators: [{ generator: ngrinder, workers: 1, options: { agent: 2 } }]
`,
    `unknown-key: matrix.yaml:3:60: generators[0].options.agent: ngrinder has no such option; did you mean agents? It reads: agents, password, processes, recorder, script, threads, timeout, user, version.`,
  ],
  [
    "a script that is not there",
    `${sound}generators: [{ generator: k6, script: mine.js }]
`,
    `invalid-option: matrix.yaml:3:39: generators[0].script: the script cannot be read (ENOENT: no such file or directory, open 'FOLDER/mine.js').`,
  ],
  [
    "a script for a generator that takes none",
    `${sound}generators: [{ generator: hey, script: matrix.yaml }]
`,
    `invalid-option: matrix.yaml:3:40: generators[0].script: hey takes no script, and matrix.yaml was given. Leave it out, or choose a generator that takes one: k6, locust, ngrinder, wrk.`,
  ],
  [
    "workers of a generator that has none",
    `${sound}generators: [{ generator: wrk, workers: 2 }]
`,
    `invalid-option: matrix.yaml:3:41: generators[0].workers: wrk sends a load by itself, and 2 hosts for workers were given. Leave workers out, or choose a generator that shares a load, such as locust.`,
  ],
  [
    "no workers of a generator that needs them",
    `${sound}generators: [ngrinder]
`,
    `invalid-option: matrix.yaml:3:14: generators[0].workers: ngrinder sends nothing without workers. Give it at least one host for workers.`,
  ],
  [
    "workers without number",
    `${sound}generators: [{ generator: locust, workers: many }]
`,
    `invalid-matrix: matrix.yaml:3:44: generators[0].workers: "many" is not a whole number from 0 to 64.`,
  ],
  [
    "a scenario that is not there",
    `${sound}scenarios: [key-atuh]
`,
    `unknown-scenario: matrix.yaml:3:13: scenarios[0]: "key-atuh" is not a scenario; did you mean key-auth? Known: plain, key-auth, basic-auth, rate-limit, key-auth-rate-limit, basic-auth-rate-limit, routes-100, round-robin, least-connections, https, tls-transactions. Or write one in full.`,
  ],
  [
    "a scenario without name",
    `${sound}scenarios: [{ auth: key }]
`,
    `invalid-matrix: matrix.yaml:3:13: scenarios[0].name: it is missing; give a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned".`,
  ],
  [
    "a scenario under a name of ours",
    `${sound}scenarios: [{ name: plain, auth: key }]
`,
    `invalid-matrix: matrix.yaml:3:21: scenarios[0].name: "plain" is a scenario of ours, and this one says something of its own. Give it another name, or write only the name.`,
  ],
  [
    "a word no scenario has",
    `${sound}scenarios: [{ name: mine, autth: key }]
`,
    `unknown-key: matrix.yaml:3:27: scenarios[0].autth: this key is not known; did you mean auth? Known here: name, scheme, tls, redirectHttp, routes, consumers, auth, credential, rateLimit, analytics, balancing, upstream, request, connection.`,
  ],
  [
    "a policy that is none",
    `${sound}scenarios: [{ name: mine, auth: keys }]
`,
    `invalid-matrix: matrix.yaml:3:33: scenarios[0].auth: "keys" is not one of key, basic, jwt, external; did you mean key?`,
  ],
  [
    "a limit without what it is for",
    `${sound}scenarios:
  - name: mine
    rateLimit: { requests: 5, per: 1s, store: local }
`,
    `invalid-matrix: matrix.yaml:5:16: scenarios[0].rateLimit.scope: it is missing; give one of gateway, route, consumer, client.`,
  ],
  [
    "no routes at all",
    `${sound}scenarios: [{ name: mine, routes: 0 }]
`,
    `invalid-matrix: matrix.yaml:3:35: scenarios[0].routes: 0 is too little; give at least 1.`,
  ],
  [
    "parts of a scenario that contradict each other",
    `${sound}scenarios: [{ name: mine, auth: basic, credential: cookie }]
`,
    `invalid-scenario: matrix.yaml:3:13: scenarios[0]: scenario "mine" puts basic credentials in a cookie; they only travel in a header. Drop credential, or use key.`,
  ],
  [
    "one scenario twice",
    `${sound}scenarios: [plain, key-auth, plain]
`,
    `invalid-matrix: matrix.yaml:3:30: scenarios[2]: "plain" stands here a second time. Leave one out, or rename one.`,
  ],
  [
    "no connections",
    `${sound}loads: [{ connections: 0 }]
`,
    `invalid-matrix: matrix.yaml:3:24: loads[0].connections: 0 is not a whole number from 1 to 20000.`,
  ],
  [
    "more connections than an address has ports",
    `${sound}loads: [{ connections: 50000 }]
`,
    `invalid-matrix: matrix.yaml:3:24: loads[0].connections: 50000 is not a whole number from 1 to 20000.`,
  ],
  [
    "a duration without unit",
    `${sound}loads: [{ duration: 30 }]
`,
    `invalid-matrix: matrix.yaml:3:21: loads[0].duration: 30 is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h".`,
  ],
  [
    "no time at all",
    `${sound}loads: [{ duration: 0s }]
`,
    `invalid-load: matrix.yaml:3:9: loads[0]: a load cannot last "0s"; give more than "0s" and at most "24h".`,
  ],
  [
    "two models of load",
    `${sound}loads: [{ ratePerS: 100, users: 5 }]
`,
    `invalid-load: matrix.yaml:3:9: loads[0]: an arrival rate (ratePerS) and users (users) are two models of load; give one of them.`,
  ],
  [
    "a word without the one it goes with",
    `${sound}loads: [{ think: 2s }]
`,
    `invalid-load: matrix.yaml:3:9: loads[0]: think goes with users; give both, or neither.`,
  ],
  [
    "connections of users",
    `${sound}loads: [{ users: 5, connections: 5 }]
`,
    `invalid-matrix: matrix.yaml:3:34: loads[0].connections: each user has a connection of its own. Give users alone.`,
  ],
  [
    "threads of a rate",
    `${sound}loads: [{ ratePerS: 5, threads: 5 }]
`,
    `invalid-matrix: matrix.yaml:3:33: loads[0].threads: threads share connections, and ratePerS has none. Drop threads.`,
  ],
  [
    "an end by count and by time",
    `${sound}loads: [{ users: 5, iterations: 5, duration: 10s }]
`,
    `invalid-matrix: matrix.yaml:3:46: loads[0].duration: a load with iterations ends by count. Give one of the two.`,
  ],
  [
    "more threads than connections",
    `${sound}loads: [{ connections: 2, threads: 4 }]
`,
    `invalid-load: matrix.yaml:3:9: loads[0]: 4 threads cannot share 2 connections: each thread needs at least one. Give at most 2 threads.`,
  ],
  [
    "one load twice",
    `${sound}loads: [{ connections: 8 }, { connections: 8, duration: 10s }]
`,
    `invalid-matrix: matrix.yaml:3:29: loads[1]: this is the same load as loads[0]. Leave one of them out.`,
  ],
  [
    "a rate for a protocol that raises connections",
    `${sound}protocol: saturate
loads: [{ ratePerS: 100 }]
`,
    `invalid-protocol: matrix.yaml:4:9: loads[0]: saturate raises the connections of a closed load; this one is of model "open". Give a closed load, or another protocol.`,
  ],
  [
    "a topology that is none",
    `${sound}topologies: [{ kind: gke }]
`,
    `invalid-matrix: matrix.yaml:3:22: topologies[0].kind: "gke" is not one of local, ssh, ec2, eks.`,
  ],
  [
    "a topology without kind",
    `${sound}topologies: [{ sizes: [1] }]
`,
    `invalid-matrix: matrix.yaml:3:14: topologies[0].kind: it is missing; give one of local, ssh, ec2, eks.`,
  ],
  [
    "a key of another topology",
    `${sound}topologies: [{ kind: local, region: eu-central-1 }]
`,
    `unknown-key: matrix.yaml:3:29: topologies[0].region: this key is not known. Known here: kind, as, sizes, portBase.`,
  ],
  [
    "one size twice",
    `${sound}topologies: [{ kind: local, sizes: [1, 2, 1] }]
`,
    `invalid-matrix: matrix.yaml:3:43: topologies[0].sizes[2]: "1" stands here a second time. Each size is measured once; leave one out.`,
  ],
  [
    "half a worker",
    `${sound}topologies: [{ kind: local, sizes: [0.5] }]
`,
    `invalid-matrix: matrix.yaml:3:37: topologies[0].sizes[0]: 0.5 is not a whole number from 1 to 1024.`,
  ],
  [
    "two topologies of one name",
    `${sound}topologies: [{ kind: local, sizes: [1] }, { kind: local, sizes: [2] }]
`,
    `invalid-matrix: matrix.yaml:3:43: topologies[1]: "local" stands here a second time. Tell them apart with "as: " and a name.`,
  ],
  [
    "machines without a budget",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large]
`,
    `invalid-matrix: matrix.yaml:4:11: topologies[0].kind: machines on EC2 and clusters on EKS cost money. Say how much at most, in US dollars: "budgetUsd: 20".`,
  ],
  [
    "a budget of nothing",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large]
budgetUsd: 0
`,
    `invalid-matrix: matrix.yaml:10:12: budgetUsd: 0 is not an amount above 0, in US dollars.`,
  ],
  [
    "a region that is none",
    `${sound}topologies:
  - kind: ec2
    region: europe
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large]
budgetUsd: 5
`,
    `invalid-matrix: matrix.yaml:5:13: topologies[0].region: "europe" is not a region, written like "eu-central-1".`,
  ],
  [
    "nobody who may log in",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large]
budgetUsd: 5
`,
    `invalid-matrix: matrix.yaml:4:5: topologies[0].sshFrom: it is missing; give an address that may log in: your own, such as "203.0.113.7/32".`,
  ],
  [
    "the whole world",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 0.0.0.0/0
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large]
budgetUsd: 5
`,
    `invalid-option: matrix.yaml:6:14: topologies[0].sshFrom: 0.0.0.0/0 lets the whole world try to log in. Give your own address.`,
  ],
  [
    "an instance type that is none",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large, c5.enormous]
budgetUsd: 5
`,
    `invalid-option: matrix.yaml:9:23: topologies[0].sizes[1]: "c5.enormous" is none; write one as EC2 does, such as "c5.xlarge".`,
  ],
  [
    "a size that is a number of workers",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [4]
budgetUsd: 5
`,
    `invalid-matrix: matrix.yaml:9:13: topologies[0].sizes[0]: 4 is not a size; write an instance type, such as c5.large, or "instanceType: c5.large" and "workers: 2".`,
  ],
  [
    "a burstable machine",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: t3.large
    generator: c5.xlarge
    sizes: [c5.large]
budgetUsd: 5
`,
    `invalid-option: matrix.yaml:7:15: topologies[0].upstream: t3.large is burstable: what it gives depends on what it did before. Choose a family such as c5 or m5, or give allowBurstable: true.`,
  ],
  [
    "a generator smaller than the gateway",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large, c5.4xlarge]
budgetUsd: 5
`,
    `invalid-option: matrix.yaml:8:16: topologies[0].generator: c5.xlarge has 4 CPUs, and the gateway 16: it would measure itself. Choose one at least as large, or give allowSmallGenerator: true.`,
  ],
  [
    "machines that end too soon",
    `${sound}topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large]
    ttl: 1m
budgetUsd: 5
`,
    `invalid-option: matrix.yaml:10:10: topologies[0].ttl: 1m is not from 10m to 168h; machines end themselves after it, whoever comes back.`,
  ],
  [
    "a machine without an address",
    `${sound}topologies:
  - kind: ssh
    privateKeyFile: key
    upstream: &m { host: a, user: me, cpus: 2 }
    gateway: { <<: *m, address: b }
    generator: { <<: *m, address: c }
`,
    `invalid-matrix: matrix.yaml:6:18: topologies[0].upstream.address: it is missing; give a name.`,
  ],
  [
    "an account that is none",
    `${sound}topologies:
  - kind: ssh
    privateKeyFile: key
    upstream: { host: a, user: me, cpus: 2, address: a }
    gateway: { host: a, user: not me, cpus: 2, address: a }
    generator: { host: a, user: me, cpus: 2, address: a }
`,
    `invalid-option: matrix.yaml:7:31: topologies[0].gateway.user: "not me" is none; give the account that may use Docker.`,
  ],
  [
    "fewer machines than workers",
    `${sound}generators: [{ generator: locust, workers: 2 }]
topologies:
  - kind: ssh
    privateKeyFile: key
    upstream: &m { host: a, user: me, cpus: 2, address: a }
    gateway: *m
    generator: *m
    workers: [*m]
`,
    `invalid-matrix: matrix.yaml:10:14: topologies[0].workers: a generator is to have 2 hosts for workers, and 1 stand here. Give 2, or fewer workers.`,
  ],
  [
    "an upstream that is none",
    `${sound}upstream: nginx
`,
    `invalid-matrix: matrix.yaml:3:11: upstream: "nginx" is not one of static-payload, go-bench-suite.`,
  ],
  [
    "a protocol that is none",
    `${sound}protocol: repeated
`,
    `invalid-matrix: matrix.yaml:3:11: protocol: "repeated" is not one of repeat, until-stable, saturate; did you mean repeat?`,
  ],
  [
    "repetitions without end",
    `${sound}repetitions: 1000
`,
    `invalid-matrix: matrix.yaml:3:14: repetitions: 1000 is not a whole number from 1 to 100.`,
  ],
  [
    "a warm-up without unit",
    `${sound}warmUp: 5
`,
    `invalid-matrix: matrix.yaml:3:9: warmUp: 5 is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h".`,
  ],
  [
    "redeployed rounds of a protocol that looks back",
    `${sound}rounds: redeployed
protocol: until-stable
`,
    `invalid-matrix: matrix.yaml:3:9: rounds: a redeployed round measures once, and until-stable looks at several runs. Give "protocol: repeat", or "rounds: kept".`,
  ],
  [
    "rounds that are none",
    `${sound}rounds: keep
`,
    `invalid-matrix: matrix.yaml:3:9: rounds: "keep" is not one of kept, redeployed; did you mean kept?`,
  ],
  [
    "lanes at once on one machine",
    `${sound}parallel: 2
`,
    `invalid-matrix: matrix.yaml:3:11: parallel: lanes share this machine, and would measure each other. Give "parallel: 1", or machines of their own.`,
  ],
  [
    "a seed that is a text",
    `${sound}seed: random
`,
    `invalid-matrix: matrix.yaml:3:7: seed: "random" is not a whole number from 0 to 1000000000.`,
  ],
  [
    "a rule that fits everything",
    `${sound}exclude: [{}]
`,
    `invalid-matrix: matrix.yaml:3:11: exclude[0]: a rule without a word fits everything; give at least one of gateway, scenario, generator, load, size, topology.`,
  ],
  [
    "a rule about nobody",
    `${sound}exclude: [{ gateway: ngnix }]
`,
    `invalid-matrix: matrix.yaml:3:22: exclude[0].gateway: no gateway of this matrix is named "ngnix"; did you mean nginx? It has: nginx.`,
  ],
  [
    "a rule about a load by a wrong name",
    `${sound}include: [{ load: c64 }]
`,
    `invalid-matrix: matrix.yaml:3:19: include[0].load: no load of this matrix is named "c64"; did you mean c32? It has: c32.`,
  ],
  [
    "a rule with a word of its own",
    `${sound}include: [{ gatway: nginx }]
`,
    `unknown-key: matrix.yaml:3:13: include[0].gatway: this key is not known; did you mean gateway? Known here: gateway, scenario, generator, load, size, topology.`,
  ],
  [
    "a preset that is none",
    `name: x
preset: tyk-on-ecs2
`,
    `unknown-preset: matrix.yaml:2:9: preset: "tyk-on-ecs2" is not a preset; did you mean tyk-on-ec2? Known: istio-ext-authz, kong-on-eks, nginx-on-eks, ngrinder-on-nginx, tyk-on-ec2.`,
  ],
  [
    "a preset without whose cluster it is",
    `name: x
preset: kong-on-eks
budgetUsd: 5
`,
    `invalid-matrix: matrix.yaml:2:9: topologies[0].region: it is missing; give a region, written like "eu-central-1".`,
  ],
  [
    "a burstable node of a cluster",
    `${sound}budgetUsd: 5
topologies:
  - { kind: eks, region: eu-central-1, upstream: c5.large, generator: c5.xlarge, sizes: [t3.large] }
`,
    `invalid-option: matrix.yaml:5:90: topologies[0].sizes[0]: t3.large is burstable: what it gives depends on what it did before. Choose a family such as c5 or m5, or give allowBurstable: true.`,
  ],
  [
    "a version of Kubernetes that YAML has taken for a number",
    `${sound}budgetUsd: 5
topologies:
  - { kind: eks, version: 1.34, region: eu-central-1, upstream: c5.large, generator: c5.xlarge, sizes: [c5.large] }
`,
    `invalid-matrix: matrix.yaml:5:27: topologies[0].version: 1.34 is not a version of Kubernetes in quotes, written like "1.34".`,
  ],
  [
    "an authorizer that no registry has",
    `name: x
preset: istio-ext-authz
budgetUsd: 5
topologies: [{ kind: eks, region: eu-central-1 }]
`,
    `invalid-matrix: matrix.yaml:4:14: topologies[0]: a scenario has auth "external", and no public registry has an authorizer. Build one from services/Dockerfile, and give its "authorizerImage".`,
  ],
  [
    "a preset without whose machines they are",
    `name: x
preset: tyk-on-ec2
budgetUsd: 5
topologies:
  - kind: ec2
    region: eu-central-1
`,
    `invalid-matrix: matrix.yaml:5:5: topologies[0].sshFrom: it is missing; give an address that may log in: your own, such as "203.0.113.7/32".`,
  ],
  [
    "a preset's load under a rule of one's own",
    `name: x
preset: tyk-on-ec2
budgetUsd: 5
topologies: [{ kind: ec2, region: eu-central-1, sshFrom: 203.0.113.7/32 }]
exclude: [{ load: c50 }]
`,
    `invalid-matrix: matrix.yaml:5:19: exclude[0].load: no load of this matrix is named "c50". It has: c50x1500-5m, c50x1500-10s, r75000.`,
  ],
];

test.each(faulty)("%s", async (_, text, line) => {
  expect(await linesOf(text)).toEqual([line]);
  expect(readdirSync(folder).sort()).toEqual(["key", "matrix.yaml"]);
  for (const start of [childProcess.spawn, childProcess.spawnSync, childProcess.execFile])
    expect(start).not.toHaveBeenCalled();
});

test("there are enough of them", () => expect(faulty.length).toBeGreaterThanOrEqual(60));

test("everything that is wrong is told at once, in the order of the file", async () => {
  const text = `name: X
gateways: [nginx, { gateway: envoy, as: Fast }]
lods: []
repetitions: 0
topologies: [{ kind: ec2, sizes: [] }]
`;
  expect((await linesOf(text)).map((line) => line.split(" ")[1])).toEqual([
    ...["matrix.yaml:1:7:", "matrix.yaml:2:41:", "matrix.yaml:3:1:", "matrix.yaml:4:14:"],
    ...["matrix.yaml:5:14:", "matrix.yaml:5:14:", "matrix.yaml:5:14:", "matrix.yaml:5:14:", "matrix.yaml:5:34:"],
  ]);
});
