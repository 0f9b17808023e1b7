import { join } from "node:path";
import { buildSync } from "esbuild";

test("the agent loads nothing but Node: it is started for every run, and a tenth of a second more is a run's delay", () => {
  const { metafile } = buildSync({
    entryPoints: [join(__dirname, "main.ts")],
    ...{ bundle: true, platform: "node", write: false, metafile: true, logLevel: "silent" },
  });
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("node_modules"))).toEqual([]);
});
