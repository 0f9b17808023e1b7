/**
 * One gateway against one scenario in a Kubernetes cluster, beside the path without it.
 *
 *   npm install && cd stacks/eks
 *   pulumi stack select --create kong-1
 *   pulumi config set aws:region us-west-2
 *   pulumi up && pulumi stack output summary && pulumi destroy
 *
 * The stack files beside this one are presets of published tests; each key is documented in settings.ts. A cluster costs money
 * until the destroy. One that is there already: pulumi config set kubeconfig PATH.
 */
import { refuseFaults } from "@gatebench/core";
import { measuredOn, plannedMeasurement, reached } from "@gatebench/matrix/stack";
import { nodesFor, programFaults } from "./nodes";
import { serviceImages } from "./service-images";
import { settings } from "./settings";

export = async () => {
  const { asked: given, preset } = settings();
  const images = await serviceImages(given);
  const asked = { ...given, ...images.names };
  const measurement = await plannedMeasurement(asked);
  const nodes = nodesFor(asked, measurement.plan);
  refuseFaults([
    ...programFaults([...nodes.programs, ...images.programs]),
    ...images.faults,
    ...nodes.faults,
    ...measurement.faults,
  ]);

  const { site, ...access } = nodes.make("rig", images.make());
  const { outputs, observatory } = measuredOn(site, measurement, preset);
  return { ...outputs, ...reached(observatory, access.file), ...(observatory ? access.outputs : {}) };
};
