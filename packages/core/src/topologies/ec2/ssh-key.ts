import * as pulumi from "@pulumi/pulumi";
import type { KeyMaterial } from "../../hosts/agent/ssh-key-material";
import { agentCommand } from "../../hosts/local/agent-command";

/** What opens the machines: made once, kept secret in the state, the same until replaced. */
export interface SshKey {
  /** As authorized_keys has it. */
  readonly publicKey: pulumi.Input<string>;
  /** PEM. */
  readonly privateKey: pulumi.Input<string>;
}

/** A key of the topology's own; it opens nothing else. */
export function makeSshKey(name: string, parent: pulumi.Resource): SshKey {
  const made = agentCommand(
    `${name}-key`,
    { verb: "make-ssh-key", stdin: "{}", update: "true" },
    { parent, additionalSecretOutputs: ["stdout"] },
  );
  const material = made.stdout.apply((text) => JSON.parse(text) as KeyMaterial);
  return {
    publicKey: pulumi.unsecret(material.apply(({ publicKey }) => publicKey)),
    privateKey: pulumi.secret(material.apply(({ privateKey }) => privateKey)),
  };
}
