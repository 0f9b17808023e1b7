/** What a person reads where a machine reached over SSH is not as it should be; and that a destroy then leaves nothing. */
import { nginx } from "@gatebench/gateways";
import type { SshMachine } from "@gatebench/core/ssh";
import type { GatewayAdapter } from "@gatebench/core";
import { edited } from "./altered";
import { benchProgram, openRig, plain, type Rig } from "./rig";
import { openMachines, type SshMachines } from "./ssh-machines";

jest.setTimeout(180_000);

let ssh: SshMachines;
let rig: Rig;

beforeAll(async () => {
  ssh = await openMachines();
  rig = await openRig("ssh-errors");
});
afterAll(async () => {
  await rig.destroy().finally(() => ssh.twin.destroy());
});

/** What a failing up prints, its lines without what the engine puts before them. */
async function said(gateway: GatewayAdapter, machine: Partial<SshMachine> = {}): Promise<readonly string[]> {
  const targets = { nginx: { adapter: gateway, scenario: plain } };
  const { program } = benchProgram({ targets }, () => ssh.site(undefined, { gateway: { dials: 1, ...machine } }));
  const before = rig.output.length;
  await expect(rig.up(program)).rejects.toThrow();
  return rig.output.slice(before).join("").split("\n").map((line) => line.trim().replace(/^error: /, ""));
}

async function expectNothingLeft(): Promise<void> {
  await rig.stack.destroy();
  expect(await ssh.left()).toEqual({});
}

interface Wrong {
  readonly what: string;
  /** On the gateway's machine, before and after. */
  readonly done?: string;
  readonly undone?: string;
  readonly machine?: Partial<SshMachine>;
  readonly gateway?: GatewayAdapter;
  readonly says: RegExp;
}

const advice = "Check host, port, user and privateKey of the machine; ssh tells the same\\.";
const allowed = "Add its account to the group docker, or let it use sudo without a password, and run up again\\.";
const wrong: readonly Wrong[] = [
  {
    what: "another user",
    machine: { user: "somebody" },
    says: new RegExp(`^host-unreachable: gateway does not let somebody in by SSH: .*Permission denied.*\\. ${advice}$`),
  },
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
    gateway: nginx({ version: "0.0.1" }),
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
    gateway: edited(nginx(), ["stub_status;", "no_such_directive;"]),
    says: /^not-ready: bench-nginx-nginx ended before it answered: .+\. It said: .*unknown directive "no_such_directive".*$/,
  },
];

test.each(wrong)("$what: one line says what to do", async ({ done, undone, machine, gateway = nginx(), says }) => {
  if (done) await ssh.on("gateway", done);
  try {
    expect(await said(gateway, machine)).toContainEqual(expect.stringMatching(says));
    await rig.stack.destroy();
  } finally {
    if (undone) await ssh.on("gateway", undone);
  }
  await expectNothingLeft();
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
  await ssh.on("gateway", `python3 -c '${takesAll}' > /tmp/taken 2>&1 & while ! grep -q taken /tmp/taken; do sleep 0.1; done`);
  const line = (wanted: string) => new RegExp(`^port-in-use: port 2\\d+, wanted by ${wanted}, is used by python3 \\(pid \\d+\\)\\. Stop it, and run up again\\.$`);
  try {
    expect(await said(nginx())).toContainEqual(expect.stringMatching(line("what tells other hosts its CPU")));
  } finally {
    await ssh.on("gateway", "kill $(pidof python3); rm /tmp/taken");
  }
  await expectNothingLeft();
});
