export const matrixProject = "gatebench-matrix";

/** A lane's stack in the engine's state of this checkout. */
export const laneStack = (matrix: string, lane: string): string => `${matrix}-${lane.replace(/[^A-Za-z0-9_-]/g, "-")}`;
