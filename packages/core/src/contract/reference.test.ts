import { lineOf } from "./fault";
import {
  addressOf,
  bindAddress,
  fileOf,
  folder,
  isReference,
  reference,
  referencesIn,
  substitute,
  unknownReferences,
} from "./reference";

test("references are opaque strings that stand in any text", () => {
  expect(reference("consumer-1.key")).toBe("<gatebench:consumer-1.key>");
  expect([fileOf("nginx.conf"), folder, bindAddress, addressOf("redis")]).toEqual([
    "<gatebench:file.nginx.conf>",
    "<gatebench:folder>",
    "<gatebench:bind>",
    "<gatebench:address.redis>",
  ]);
});

test("they are found once each, in order", () => {
  const text = `a ${reference("b")} ${reference("a")} ${reference("b")} <gatebench: c> <other:d>`;
  expect(referencesIn(text)).toEqual(["b", "a"]);
  expect(isReference(reference("a"))).toBe(true);
  expect(isReference(` ${reference("a")}`)).toBe(false);
});

test("values take their places, and a value is never looked into", () => {
  const values = { a: "<gatebench:b>", b: "$& and $1" };
  expect(substitute(`${reference("a")}|${reference("b")}`, values)).toBe("<gatebench:b>|$& and $1");
  expect(() => substitute(reference("c"), values)).toThrow("unknown-reference: <gatebench:c> has no value here");
});

test("what nothing provides is a line that says what is known", () => {
  const texts = [`${folder} ${reference("consumer-1.key")} ${reference("consumer-2.key")}`];
  expect(unknownReferences(texts, ["consumer-1.key"], "gateway mine").map(lineOf)).toEqual([
    "unknown-reference: gateway mine refers to <gatebench:consumer-2.key>, which nothing here provides. Known: consumer-1.key.",
  ]);
  expect(unknownReferences([bindAddress, fileOf("x"), addressOf("redis")], [], "gateway mine")).toEqual([]);
});
