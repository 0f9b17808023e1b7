/**
 * One gateway against one scenario on EC2, beside the path without it.
 *
 *   npm install && cd stacks/ec2
 *   pulumi stack select --create tyk-proxy
 *   pulumi config set aws:region eu-central-1 && pulumi config set sshFrom 203.0.113.7/32
 *   pulumi up && pulumi stack output summary && pulumi destroy
 *
 * The stack files beside this one are presets of published tests; each key is documented in settings.ts. Machines cost money
 * until the destroy, or until their time to live is over.
 */
import * as pulumi from "@pulumi/pulumi";
import { refuseFaults } from "@gatebench/core";
import { Ec2Topology } from "@gatebench/core/ec2";
import { loadSeconds, measuredOn, plannedMeasurement, reached } from "@gatebench/matrix/stack";
import { described, machineFaults, machinesFor, programFaults } from "./machines";
import { settings } from "./settings";

export = async () => {
  const { asked, preset } = settings();
  const measurement = await plannedMeasurement(asked);
  const { plan, parts } = measurement;
  const machines = machinesFor(asked, plan);
  refuseFaults([
    ...programFaults(asked),
    ...machineFaults(asked, machines, plan, loadSeconds(parts, measurement)),
    ...measurement.faults,
  ]);

  const site = new Ec2Topology("rig", machines);
  const { outputs, observatory } = measuredOn(site, measurement, preset);
  return {
    ...outputs,
    hosts: pulumi.output(described(site)),
    ...reached(observatory, { before: keepKey, keyFile }),
    // It opens the machines, for the tunnel.
    ...(observatory ? { privateKey: site.privateKey } : {}),
  };
};

const keyFile = "gatebench.pem";
/** SSH takes no key that others may read. */
const keepKey = `(umask 077 && pulumi stack output privateKey --show-secrets > ${keyFile}) && `;
