import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isFault, type GatewayAdapter } from "../contract";
import { loadGateway } from "./load-adapter";

const folder = mkdtempSync(join(tmpdir(), "gatebench-adapter-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ours = { here: () => ({ name: "here" }) as GatewayAdapter };
const written = (text: string) => {
  const path = join(folder, `adapter-${Math.random().toString(36).slice(2)}.js`);
  writeFileSync(path, text);
  return path;
};
const adapterText = `({ name: "mine", version: "1", supports: {}, ports: ["entry"], render: () => ({}) })`;

test("a name of ours is made by our factory", async () => {
  expect(await loadGateway("here", ours)).toEqual({ name: "here" });
});

test("a gateway outside this repository is loaded by path", async () => {
  const path = written(`exports.mine = () => ${adapterText};`);
  expect(await loadGateway(path, ours)).toMatchObject({ name: "mine" });
});

test("an export is chosen by name where a module has several", async () => {
  const path = written(`exports.a = () => ${adapterText}; exports.b = () => ({ ...${adapterText}, name: "b" });`);
  expect(await loadGateway(`${path}#b`, ours)).toMatchObject({ name: "b" });
  expect(await loadGateway(path, ours)).toMatchObject({
    code: "invalid-adapter",
    message: expect.stringContaining("exports 2 gateway adapters"),
  });
});

test("what an export lacks to be a gateway is said", async () => {
  const found = await loadGateway(written(`exports.mine = { name: "mine", render: () => 1 };`), ours);
  expect(found).toMatchObject({
    code: "invalid-adapter",
    message: expect.stringContaining("it lacks supports (object), ports (object)"),
  });
});

test("a name that is nothing at all gets one line with what is known", async () => {
  const found = await loadGateway("nginxx", ours);
  expect(isFault(found) && found.message).toMatch(
    /^"nginxx" is not one of here, nor a package or path that can be loaded \(Cannot/,
  );
});

test("a path is taken from the folder that is given, and the factory gets the options", async () => {
  const name = basename(written(`exports.mine = ({ tag = "1" } = {}) => ({ ...${adapterText}, version: tag });`));
  expect(await loadGateway(`./${name}`, ours, { folder, options: { tag: "7" } })).toMatchObject({ version: "7" });
  expect(await loadGateway(`./${name}`, ours, { folder })).toMatchObject({ version: "1" });
});

test("a factory of ours gets its options too", async () => {
  const known = { here: (options?: object) => ({ name: "here", ...options }) as GatewayAdapter };
  expect(await loadGateway("here", known, { options: { version: "7" } })).toEqual({ name: "here", version: "7" });
});
