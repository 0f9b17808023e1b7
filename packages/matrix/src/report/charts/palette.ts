/**
 * Colours by what they are for, light and dark. Series are told apart without colour too, by the form of their points:
 * on paper, and by who does not see all colours. Each is at least 4.5 : 1 against its ground, series 3 : 1 (WCAG 2.2).
 */
export const palette = {
  light: {
    ground: "#ffffff",
    ink: "#1b1f24",
    soft: "#57606a",
    line: "#d8dee4",
    raised: "#f6f8fa",
    link: "#0757b5",
    sound: "#116329",
    indicative: "#7d4e00",
    invalid: "#b3152a",
    bar: "#4178be",
    path: "#8c959f",
    s0: "#1f6fc4",
    s1: "#c2410c",
    s2: "#0f7b6c",
    s3: "#8a3ffc",
    s4: "#9f1853",
    s5: "#5f6b00",
  },
  dark: {
    ground: "#0f1419",
    ink: "#e6edf3",
    soft: "#9da7b3",
    line: "#30363d",
    raised: "#171d24",
    link: "#79b8ff",
    sound: "#56d364",
    indicative: "#e3b341",
    invalid: "#ff8a8a",
    bar: "#5b97e0",
    path: "#7d8590",
    s0: "#6cb0ff",
    s1: "#ff9a5c",
    s2: "#3fd0b6",
    s3: "#be95ff",
    s4: "#ff7eb6",
    s5: "#c5d14a",
  },
} as const;

type Shade = keyof (typeof palette)["light"];
export const colour = (shade: Shade): string => `var(--${shade})`;

const series: readonly Shade[] = ["s0", "s1", "s2", "s3", "s4", "s5"];
const symbols = ["circle", "rect", "triangle", "diamond", "pin", "arrow", "roundRect"] as const;

/** How the points and the line of a series look: no two alike among the first forty-two. */
export const look = (index: number) => ({
  colour: colour(series[index % series.length] as Shade),
  symbol: symbols[index % symbols.length] as string,
});

const variables = (shades: Readonly<Record<string, string>>): string =>
  Object.entries(shades)
    .map(([name, value]) => `--${name}:${value};`)
    .join("");

/** The colours as CSS: dark where the reader's screen is, light on paper. */
export const paletteCss = [
  `:root{color-scheme:light dark;${variables(palette.light)}}`,
  `@media screen and (prefers-color-scheme:dark){:root{${variables(palette.dark)}}}`,
].join("\n");
