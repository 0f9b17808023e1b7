import { sealed, sealOf, unseal } from "./sealed";

const output = sealed({ requests: 12 });

test("a seal is Adler-32, by the example everybody gives", () => {
  expect(sealOf("Wikipedia")).toBe("11e60398");
});

test("what was sealed is read again, with the lines around it", () => {
  expect(unseal("tool", `before\n${output}after\n`)).toEqual({
    figures: { requests: 12 },
    others: ["before", "after"],
  });
});

test.each([
  ["a changed digit", output.replace("12", "13"), "figures that do not fit their seal"],
  ["a missing seal", output.split("\n")[0] ?? "", "figures missing, cut off, or of two runs"],
  ["two runs", output + output, "figures missing, cut off, or of two runs"],
])("%s is refused", (_, stdout, why) => {
  expect(() => unseal("tool", stdout)).toThrow(`unparsed-output: tool: ${why}`);
});
