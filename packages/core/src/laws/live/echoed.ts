const body = Array.from({ length: 512 }, (_, index) => `${index} unchänged\r\n`).join("");

/** A body that shows cuts, reordering, and translated characters or line ends. */
export const echoed = {
  body,
  bytes: 8082,
  sha256: "d904e4efc16f6738099651207a526675c5b4a0413fdf846581df89169649e177",
} as const;
