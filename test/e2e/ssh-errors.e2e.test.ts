/** What a person reads where a machine reached over SSH is not as it should be; and that a destroy then leaves nothing. */
import { generateKeyPairSync } from "node:crypto";
import type { SshMachine } from "@gatebench/core/ssh";
import { openProgram } from "./program";
import { openMachines, roles, type Role, type SshMachines } from "./ssh-machines";
import { pidsIn } from "./tools";

jest.setTimeout(180_000);

let ssh: SshMachines;

beforeAll(async () => (ssh = await openMachines()));
afterAll(() => ssh.twin.destroy());

interface Wrong {
  readonly what: string;
  /** On the gateway's machine, before and after. */
  readonly done?: string;
  readonly undone?: string;
  readonly machine?: Partial<SshMachine>;
  /** Of the program. */
  readonly env?: Readonly<Record<string, string>>;
  readonly says: RegExp;
}

/** By a failing up; a destroy leaves nothing. */
async function everythingSaid({ machine, env = {}, done, undone }: Omit<Wrong, "what" | "says">): Promise<string> {
  const machines = ssh.given({ dials: 1, ...machine });
  const rig = await openProgram("ssh-gateway", { MACHINES: JSON.stringify(machines), ...env });
  if (done) await ssh.on("gateway", done);
  await expect(rig.up()).rejects.toThrow();
  if (undone) await ssh.on("gateway", undone);
  await rig.destroy();
  expect(await ssh.left()).toEqual({});
  return rig.output.join("");
}

/** The lines with a code. */
async function said(wrong: Parameters<typeof everythingSaid>[0]): Promise<readonly string[]> {
  return coded(await everythingSaid(wrong));
}

const coded = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim().replace(/^error: /, ""))
    .filter((line) => /^[a-z]+-[a-z-]+: /.test(line));

const allowed = "Add its account to the group docker, or let it use sudo without a password, and run up again\\.";
const wrong: readonly Wrong[] = [
  {
    what: "no Docker",
    done: "mv /usr/bin/docker /usr/bin/docker-gone",
    undone: "mv /usr/bin/docker-gone /usr/bin/docker",
    says: /^host-unready: gateway has no docker\. Install Docker Engine on it, and run up again\.$/,
  },
  {
    what: "Docker that the user may not use",
    done: "chgrp root /var/run/docker.sock; mv /etc/sudoers.d/90-cloud-init-users /root/",
    undone: "chgrp docker /var/run/docker.sock; mv /root/90-cloud-init-users /etc/sudoers.d/",
    says: new RegExp(`^host-unready: Docker of gateway cannot be used: sudo: .*\\. ${allowed}$`),
  },
  {
    what: "Docker that does not run",
    done: "mv /var/run/docker.sock /var/run/docker-gone",
    undone: "mv /var/run/docker-gone /var/run/docker.sock",
    says: /^host-unready: Docker of gateway cannot be used: .*Cannot connect to the Docker daemon.*\.$/,
  },
  {
    what: "an image that is nowhere",
    env: { OPTIONS: JSON.stringify({ version: "0.0.1" }) },
    says: /^image-unavailable: nginx:0\.0\.1 could not be pulled: .+\. Let the machine reach its registry, or load the image under that name\.$/,
  },
  {
    what: "an agent's image that is nowhere",
    done: "docker tag node:22.12.0-bookworm-slim kept:1 && docker rmi node:22.12.0-bookworm-slim",
    undone: "docker tag kept:1 node:22.12.0-bookworm-slim && docker rmi kept:1",
    says: /^image-unavailable: node:22\.12\.0-bookworm-slim could not be pulled on gateway: .+\. Let the machine reach its registry, or load the image under that name\.$/,
  },
  {
    what: "a full disk",
    done: "mkdir -p /var/lib/gatebench && mount -t tmpfs -o size=20k tmpfs /var/lib/gatebench",
    undone: "umount /var/lib/gatebench",
    says: /^host-unready: the disk of gateway is full: .*no space left on device.*\. Free some space on it, and run up again\.$/i,
  },
  {
    what: "a gateway that ends at once",
    env: { BROKEN: "true" },
    says: /^not-ready: nginx-nginx ended before it answered: .+\. It said: .*unknown directive "no_such_directive".*$/,
  },
];

test.each(wrong)("$what: one line says what to do", async ({ says, ...wrongly }) => {
  expect(await said(wrongly)).toContainEqual(expect.stringMatching(says));
});

/** A program that has every port we might ask for. */
const takesAll = `import resource, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (9000, 9000))
taken = []
for port in range(20000, 24000):
  one = socket.socket()
  try:
    one.bind(("0.0.0.0", port)); one.listen(1); taken.append(one)
  except OSError: pass
print("taken", flush=True)
time.sleep(60)`;

test("ports that another program has: one line says whose they are", async () => {
  const until = "while ! grep -q taken /tmp/taken; do sleep 0.1; done";
  const done = `python3 -c '${takesAll}' > /tmp/taken 2>&1 & ${until}`;
  const undone = "kill $(pidof python3); rm /tmp/taken";
  const owner = "another program of gateway. sudo ss -ltnp on it says which; stop that, and run up again.";
  expect(await said({ done, undone })).toContainEqual(
    expect.stringMatching(`^port-in-use: port 2\\d+, wanted by what tells other hosts its CPU, is used by ${owner}$`),
  );
});

const anotherKey = () =>
  generateKeyPairSync("rsa", { modulusLength: 3072 }).privateKey.export({ type: "pkcs1", format: "pem" }) as string;
const letsNobodyIn = (role: string, user: string) =>
  `^ssh-refused: ${role} \\([\\d.]+, port 22\\) does not let ${user} in with the private key given: .*Permission denied \\(publickey\\)\\. Check user and private key, and that its public half stands in authorized_keys of that account, and run up again\\.$`;

/** All machines at once: then none is touched. */
const closed: readonly [string, Record<Role, () => Partial<SshMachine>>, readonly string[]][] = [
  [
    "another user, another key, and a host that refuses",
    {
      upstream: () => ({ user: "somebody" }),
      gateway: () => ({ privateKey: anotherKey() }),
      generator: () => ({ port: 2222 }),
    },
    [
      letsNobodyIn("upstream", "somebody"),
      letsNobodyIn("gateway", "ec2-user"),
      "^ssh-refused: generator \\(.+, port 2222\\) refuses connections, for ec2-user as for anybody: .*Connection refused\\. Check host and port, and that sshd runs there, and run up again\\.$",
    ],
  ],
  [
    "a key that is none, another machine in its place, and a host that is nowhere",
    {
      upstream: () => ({ privateKey: "my key" }),
      gateway: () => ({ hostKey: ssh.twin.publicKey }),
      generator: () => ({ host: "nowhere.invalid" }),
    },
    [
      "^ssh-refused: the private key for ec2-user of upstream \\(.+\\) cannot be used: .+\\. Give one in PEM or OpenSSH's form and without a passphrase, and run up again\\.$",
      "^ssh-refused: gateway \\(.+\\) has another host key than the one given: Host key verification failed\\. Check that it is the machine you mean, and its hostKey, and run up again\\.$",
      "^host-unreachable: generator \\(nowhere\\.invalid, port 22\\) cannot be reached for ec2-user: .*Could not resolve hostname nowhere\\.invalid.*\\. Check host, port, and what lies between",
    ],
  ],
];

test.each(closed)(
  "%s: a line each says who was not let in where; the plug-in does not try",
  async (_, wrong, lines) => {
    const good = ssh.given({ dials: 1 });
    const machines = roles.map((role) => [role, { ...good[role], dials: 1, ...wrong[role]() }]);
    const all = await everythingSaid({ env: { MACHINES: JSON.stringify(Object.fromEntries(machines)) } });
    for (const line of lines) expect(coded(all)).toContainEqual(expect.stringMatching(line));
    expect(all).not.toContain("failed attempts");
    expect(all).not.toContain("PRIVATE KEY");
    expect(pidsIn("/", /^ssh-agent sh -c/)).toEqual([]);
  },
);
