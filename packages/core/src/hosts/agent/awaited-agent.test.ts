import { nowhereLine } from "./awaited-agent";

const taint = { key: "pool", value: "gateway", effect: "NoSchedule" };
const node = (...taints: readonly (typeof taint)[]) => ({ metadata: { name: "node-1" }, spec: { taints } });
const line = (nodes: Parameters<typeof nowhereLine>[2], taints = [taint]) =>
  nowhereLine({ host: "gateway", taints }, "pool=gateway", nodes, "0/4 nodes are available");

test("a pool without nodes is told by the labels that none has", () => {
  expect(line([])).toMatch(/^host-unready: no node of the cluster has the labels of gateway, pool=gateway\. /);
});

test("a taint the pool does not name is told with what to write", () => {
  expect(line([node(taint)], [])).toContain(
    'node node-1 of gateway has the taint pool=gateway:NoSchedule, which its pool does not name. Give gateway.taints [{"key":"pool","value":"gateway","effect":"NoSchedule"}]',
  );
});

test("a taint that only asks to stay away is no obstacle", () => {
  expect(line([node({ ...taint, effect: "PreferNoSchedule" })], [])).toContain("0/4 nodes are available");
});

test("where nodes may not be listed, or are full, the scheduler has the word", () => {
  for (const nodes of [undefined, [node(taint)]])
    expect(line(nodes)).toBe(
      "host-unready: no node with pool=gateway takes the agent of gateway: 0/4 nodes are available. Make room on one, and run up again.",
    );
});
