import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkBenchmark, type Load } from "@gatebench/core";
import { parse } from "yaml";
import { presetFolder, presetNames } from "./preset";
import { readMatrix } from "./read-matrix";

const folder = mkdtempSync(join(tmpdir(), "gatebench-preset-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string) => {
  writeFileSync(join(folder, "matrix.yaml"), text);
  return readMatrix(join(folder, "matrix.yaml"));
};

/** As the comment that each preset begins with says it is used. */
function useOf(preset: string): string {
  const text = readFileSync(join(presetFolder, `${preset}.yaml`), "utf8");
  const lines = text.split("\n").filter((line) => line.startsWith("#   "));
  return lines.map((line) => line.slice(4)).join("\n");
}

test("the five published tests are there", () =>
  expect(presetNames()).toEqual(["istio-ext-authz", "kong-on-eks", "nginx-on-eks", "ngrinder-on-nginx", "tyk-on-ec2"]));

describe.each(presetNames())("%s", (preset) => {
  const matrix = read(useOf(preset));

  test("is a whole matrix, used as its comment says", async () => {
    expect((await matrix).file.preset).toBe(preset);
    expect(presetNames()).toContain(parse(useOf(preset)).preset);
  });

  test("says what was published, and in what ours differs", async () => {
    const { published, differsIn } = (await matrix).file;
    expect(published?.figures.length).toBeGreaterThan(1);
    expect(differsIn?.length).toBeGreaterThan(1);
  });

  test("speaks of gateways, scenarios, loads and sizes that it has", async () => {
    const { gateways, scenarios, loads, places, file } = await matrix;
    for (const { gateway = "direct", scenario, load, size } of file.published?.figures ?? []) {
      expect(["direct", ...gateways.map(({ adapter }) => adapter.name)]).toContain(gateway);
      if (scenario) expect(scenarios.map((one) => one.scenario.name)).toContain(scenario);
      if (load) expect(loads.map(({ name }) => name)).toContain(load);
      // The comment shows only the first sizes of those that were published.
      if (size && places.length > 2) expect(places.map((place) => place.size.name)).toContain(size);
    }
  });

  test("has a generator for each load, and gateways that enforce each scenario", async () => {
    const { gateways, scenarios, generators, loads, protocol } = await matrix;
    for (const { load } of loads) {
      for (const { scenario, connection } of scenarios) {
        const targets = gateways.map(({ adapter }) => ({ adapter, scenario }));
        const asked = { ...load, connection } as Load;
        const faults = generators.map(({ adapter, workers }) =>
          checkBenchmark({ generator: adapter, workers, load: asked, protocol, targets }),
        );
        expect(faults).toContainEqual([]);
      }
    }
  });
});

test("Tyk's test is planned exactly as it was published", async () => {
  const { file, loads, places, generators } = await read(useOf("tyk-on-ec2"));
  expect(generators.map(({ adapter }) => adapter.name)).toEqual(["hey", "oha"]);
  expect(loads.map(({ load }) => load)).toEqual([
    { model: "closed", connections: 50, pacePerConnection: 1500, duration: "5m" },
    { model: "closed", connections: 50, pacePerConnection: 1500, duration: "10s" },
    { model: "open", ratePerS: 75_000, maxInFlight: 50, duration: "5m" },
  ]);
  expect(places.map(({ name }) => name)).toEqual(["ec2-c5.9xlarge"]);
  expect(file).toMatchObject({ upstream: "go-bench-suite", repetitions: 3 });
  expect(file.topologies[0]).toMatchObject({ upstream: "c5.2xlarge", generator: "c5.9xlarge", region: "us-east-1" });
});

test("what the preset cannot say goes into its topology; what a file changes is said to differ", async () => {
  const smaller = `${useOf("tyk-on-ec2").replace("sshFrom", "sizes: [c5.4xlarge], sshFrom")}\nrepetitions: 5\n`;
  const differsIn = (await read(smaller)).file.differsIn ?? [];
  const untouched = (await read(useOf("tyk-on-ec2"))).file.differsIn ?? [];
  expect(differsIn.slice(untouched.length)).toEqual([
    "repetitions as this matrix has them",
    "topologies as this matrix has them",
  ]);
});
