import { readFidelityOptions } from "./fidelity-options";
import { binariesOf, pacedAt, planFidelity } from "./fidelity-plan";

const planned = (given = {}) => planFidelity(readFidelityOptions(given));

test("wrk saturates and hey keeps the pace, in front of nginx", async () => {
  const { gateway, saturating, pacing } = await planned();
  expect([gateway.name, saturating.name, pacing.name]).toEqual(["nginx", "wrk", "hey"]);
  expect(binariesOf(await planned())).toEqual(expect.arrayContaining(["env", "nginx", "wrk", "hey"]));
});

test("a generator that can pace does both", async () => {
  const { saturating, pacing } = await planned({ generator: "hey" });
  expect(pacing).toBe(saturating);
});

test("everything unknown is said at once", async () => {
  await expect(planned({ gateway: "nope", generator: "neither" })).rejects.toThrow(
    /^unknown-gateway: "nope"[^\n]*\nunknown-generator: "neither"[^\n]*$/,
  );
});

test("an option that is none is a line with its name", () => {
  expect(() => readFidelityOptions({ quick: "perhaps" })).toThrow(/^invalid-option: --quick: /);
});

describe("the pace", () => {
  const offered = (capacity: number) => {
    const { connections, pacePerConnection } = pacedAt(capacity);
    return connections * pacePerConnection;
  };

  test.each([500, 5_000, 20_000, 300_000])("is 30 %% of a capacity of %d/s", (capacity) => {
    expect(offered(capacity) / capacity).toBeGreaterThan(0.295);
    expect(offered(capacity) / capacity).toBeLessThan(0.305);
  });

  test("no request is due as the run ends", () => {
    expect((pacedAt(20_000).pacePerConnection * 2) % 1).toBe(0.5);
  });

  test("connections are few", () => {
    expect(pacedAt(20_000).connections).toBe(60);
    expect(pacedAt(300_000).connections).toBe(128);
  });
});
