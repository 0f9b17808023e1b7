import { createServer, type Server } from "node:net";
import { PortBlock } from "./port-block";

const blockOf = (port: number) => Math.floor(port / 400);
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listen(port: number): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve, reject) => server.listen(port, "127.0.0.1", resolve).once("error", reject));
}

test("a name gets the same port each time, whatever else is in the program", () => {
  const alone = new PortBlock("some-place").take("b.entry");
  const block = new PortBlock("some-place");
  expect([block.take("a.entry"), block.take("b.entry")]).toContain(alone);
});

test("a block somebody listens in is left to them", async () => {
  const before = new PortBlock("another-place").take("entry");
  await listen(before);
  const now = new PortBlock("another-place").take("entry");
  expect(blockOf(now)).not.toBe(blockOf(before));
});

test("a block that was asked for is refused with everybody who listens in it", async () => {
  await listen(32_001);
  await listen(32_003);
  expect(() => new PortBlock("a-third-place", 32_000)).toThrow(
    /^port-in-use: ports 32001, 32003 are used by .+ \(pid \d+\), and the workloads here are to listen on 32000 to 32399\. Stop it, or give another port base\.$/,
  );
});
