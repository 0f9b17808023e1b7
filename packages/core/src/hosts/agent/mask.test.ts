import { masking } from "./mask";

const key = 'k3y+/with=every"thing\\and ümlauts';
const pem = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(3)}q83vEjRWeJA=\n-----END PRIVATE KEY-----\n`;
const values = { "consumer-1.key": key, "consumer-2.key": `${key}longer`, "certificate.key": pem };
const mask = masking(values);
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["as it is", key],
  ["in a URL", encodeURIComponent(key)],
  ["in a URL, in small letters", encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase())],
  ["in JSON", JSON.stringify(key).slice(1, -1)],
  ["in base64", base64(key)],
  ["in base64 for URLs", Buffer.from(key).toString("base64url")],
])("a value is masked %s", (_, form) => {
  expect(mask(`before ${form} after`)).toBe("before <gatebench:consumer-1.key> after");
});

test.each(["u:", "us:", "use:", "user:"])("a value is masked in base64 of more than itself, after %j", (before) => {
  const text = mask(`Basic ${base64(`${before}${key} and more`)}`);
  expect(text).toContain("<gatebench:consumer-1.key>");
  const left = Buffer.from(text.replace("<gatebench:consumer-1.key>", " ").split(" ")[1] as string, "base64");
  expect(left.toString("latin1")).not.toMatch(/k3y|every/);
});

test("a value that begins another is not taken for it", () => {
  expect(mask(`${key}longer`)).toBe("<gatebench:consumer-2.key>");
  expect(mask(`${key}${key}`)).toBe("<gatebench:consumer-1.key><gatebench:consumer-1.key>");
});

test("a PEM is masked whole, and each line of it, however lines are joined", () => {
  expect(mask(`key: ${pem}.`)).toBe("key: <gatebench:certificate.key>.");
  const lines = pem.trim().split("\n").slice(1, -1);
  expect(mask(lines.join(" | "))).toBe(lines.map(() => "<gatebench:certificate.key>").join(" | "));
  expect(mask(lines.join("\\n"))).toBe(lines.map(() => "<gatebench:certificate.key>").join("\\n"));
  expect(mask(lines.join("\r\n"))).not.toContain("MII");
});

test("base64 of a PEM is masked whole and in lines", () => {
  expect(mask(base64(pem))).toBe("<gatebench:certificate.key>");
  const wrapped = base64(pem).replace(/.{76}/g, "$&\n").split("\n");
  const left = mask(wrapped.join("\n"));
  for (const line of wrapped.slice(0, -1)) expect(left).not.toContain(line);
});

test("what is no value stays as it is", () => {
  const text = "-----BEGIN PRIVATE KEY----- 127.0.0.1 k3y+ <gatebench:consumer-1.key>";
  expect(mask(text)).toBe(text);
  expect(masking({})(text)).toBe(text);
  expect(masking({ "consumer-1.username": "user" })("user root;")).toBe("user root;");
});

test("thousands of values in megabytes of output take no time worth mentioning", () => {
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`consumer-${index}.key`, `secret-number-${index}-x`]),
  );
  const text = "a line of figures 0.123456 and no secret\n".repeat(50_000) + "secret-number-4999-x";
  const began = Date.now();
  expect(masking(many)(text).endsWith("<gatebench:consumer-4999.key>")).toBe(true);
  expect(Date.now() - began).toBeLessThan(5000);
});
