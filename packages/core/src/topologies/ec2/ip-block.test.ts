import { addressIn, blockOf, type IpBlock } from "./ip-block";

test("addresses are counted from the first of the network", () => {
  const block = blockOf("10.77.0.0/24") as IpBlock;
  expect([0, 10, 255, 256].map((offset) => addressIn(block, offset))).toEqual([
    "10.77.0.0",
    "10.77.0.10",
    "10.77.0.255",
    "10.77.1.0",
  ]);
});

test("a network is named by any of its addresses", () => {
  expect(blockOf("10.77.0.19/28")).toEqual(blockOf("10.77.0.16/28"));
  expect(blockOf("0.0.0.0/0")).toEqual({ base: 0, bits: 0 });
  expect(blockOf("255.255.255.255/32")).toEqual({ base: 2 ** 32 - 1, bits: 32 });
});

test.each(["10.0.0.0", "10.0.0/24", "10.0.0.256/24", "10.0.0.0/33", "::/0", ""])("%j is no network", (text) => {
  expect(blockOf(text)).toBeUndefined();
});
