import { lineOf } from "../../contract";
import { whyNot } from "./reached-host";
import { notConnected, unusableKey } from "./ssh-client";

const host = {
  label: "gateway",
  address: { host: "203.0.113.7", port: 22, user: "ec2-user", privateKey: "" },
  dials: 1,
};
const why = (stderr: string, code = notConnected) => lineOf(whyNot(host, { code, stderr }));
const where = "gateway (203.0.113.7, port 22)";

test.each<[what: string, stderr: string, line: string]>([
  [
    "a user or key that is not known",
    "ec2-user@203.0.113.7: Permission denied (publickey).\r\n",
    `ssh-refused: ${where} does not let ec2-user in with the private key given: ec2-user@203.0.113.7: Permission denied (publickey). Check user and private key, and that its public half stands in authorized_keys of that account, and run up again.`,
  ],
  [
    "another host key, under a page of warnings",
    "@@@@@@@@\nIT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\nHost key verification failed.\n",
    `ssh-refused: ${where} has another host key than the one given: Host key verification failed. Check that it is the machine you mean, and its hostKey, and run up again.`,
  ],
  [
    "nothing on the port",
    "ssh: connect to host 203.0.113.7 port 22: Connection refused\r\n",
    `ssh-refused: ${where} refuses connections, for ec2-user as for anybody: ssh: connect to host 203.0.113.7 port 22: Connection refused. Check host and port, and that sshd runs there, and run up again.`,
  ],
  [
    "no answer",
    "ssh: connect to host 203.0.113.7 port 22: Connection timed out\r\n",
    `host-unreachable: ${where} cannot be reached for ec2-user: ssh: connect to host 203.0.113.7 port 22: Connection timed out. Check host, port, and what lies between (firewall, security group, VPN), and run up again.`,
  ],
  [
    "not a word",
    "",
    `host-unreachable: ${where} cannot be reached for ec2-user: nothing was said. Check host, port, and what lies between (firewall, security group, VPN), and run up again.`,
  ],
])("%s is one line that says what to check", (_, stderr, line) => expect(why(stderr)).toBe(line));

test("a key that ssh cannot use is told from one that is not let in", () => {
  expect(why('Error loading key "(stdin)": invalid format\n', unusableKey)).toBe(
    `ssh-refused: the private key for ec2-user of ${where} cannot be used: Error loading key "(stdin)": invalid format. Give one in PEM or OpenSSH's form and without a passphrase, and run up again.`,
  );
});
