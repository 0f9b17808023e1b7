/** The machine images of the twin: Amazon Linux 2023, under the names of the public parameters that tell their ids. */
import { idOf } from "./cloud.mjs";

const PREFIX = "/aws/service/ami-amazon-linux-latest/";
const KERNELS = ["kernel-default", "kernel-6.1", "kernel-6.12"];
const NAMES = ["al2023-ami", "al2023-ami-minimal"];
const ARCHITECTURES = ["x86_64", "arm64"];

/** @typedef {{ id: string, parameter: string, name: string, architecture: string, creationDate: string }} MachineImage */

/** @param {string} region @returns {MachineImage[]} */
export const machineImages = (region) =>
  NAMES.flatMap((name) =>
    KERNELS.flatMap((kernel) =>
      ARCHITECTURES.map((architecture) => ({
        id: idOf("ami", `${region} ${name} ${kernel} ${architecture}`),
        parameter: `${PREFIX}${name}-${kernel}-${architecture}`,
        name: `${name}-2023.7.20250609.0-${kernel}-${architecture}`,
        architecture,
        creationDate: "2025-06-06T00:00:00.000Z",
      })),
    ),
  );

/** @param {string} region @param {string} ami  An id, or `resolve:ssm:PARAMETER` as EC2 takes it. @returns {MachineImage | undefined} */
export const machineImage = (region, ami) =>
  machineImages(region).find(({ id, parameter }) => ami === id || ami === `resolve:ssm:${parameter}`);
