import * as pulumi from "@pulumi/pulumi";
import type { Verification } from "../contract";
import type { Link } from "../hosts/host";
import { identityOf } from "../hosts/identity";
import type { JobRecord } from "../hosts/job-record";
import { verificationJob, verificationOf } from "../laws";
import type { GatewayUnderTest } from "./gateway-under-test";
import { observedOrder, type Course } from "./course";

export interface Verified {
  readonly resource: pulumi.Resource;
  readonly link: pulumi.Output<Link>;
  readonly verification: pulumi.Output<Verification>;
}

/** The first link of a target's chain: the live laws, tried from the generator's host. */
export function verifyTarget(
  name: string,
  target: GatewayUnderTest,
  { benchmark, session, parent }: Course,
  after: readonly pulumi.Resource[],
): Verified {
  const live = target.live;
  const order = {
    ...observedOrder(name, target),
    label: `${benchmark}: verifies ${name}`,
    job: verificationJob(target.scenario, live).job,
    coolDownS: 0,
    counted: { gateway: [], upstream: [] },
    watched: [],
  };
  const before = target.identity.apply((identity) => identityOf(identity));
  const { resource, link } = session.run(`${benchmark}-${name}-verify`, before, pulumi.output(order), {
    parent,
    dependsOn: [...after],
  });
  return {
    resource,
    link,
    verification: link.apply(({ record }) => verificationFrom(name, target, record)) as pulumi.Output<Verification>,
  };
}

function verificationFrom(name: string, target: GatewayUnderTest, record: JobRecord | undefined): Verification {
  if (!record) return unverified(name, "was not carried out");
  if ("failure" in record.outcome) return unverified(name, record.outcome.failure.message);
  try {
    return verificationOf(name, target.scenario, target.live, record.outcome.output);
  } catch (error) {
    return unverified(name, (error as Error).message);
  }
}

function unverified(target: string, reason: string): Verification {
  return { target, laws: [{ law: "can be verified", finding: { verdict: "broken", reason } }] };
}
