/**
 * A matrix as a program: what a list cannot say shortly, and gateways that are not in any package.
 *
 *   gatebench matrix examples/matrix/by-connections.ts
 */
import { nginx } from "@gatebench/gateways";
import type { MatrixFileGiven } from "@gatebench/matrix";

const connections = [8, 16, 32, 64, 128];

const matrix: MatrixFileGiven = {
  name: "nginx-by-connections",
  gateways: ["nginx", { gateway: nginx({ version: "1.31.4" }), as: "nginx-mainline" }],
  loads: connections.map((count) => ({ connections: count, duration: "5s" })),
  repetitions: 3,
};

export default matrix;
