import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awsPrices } from "./aws-prices";

/** The columns of a list that matter, among others of it, in its order. */
const columns = [
  ...["SKU", "OfferTermCode", "TermType", "PriceDescription", "Unit", "PricePerUnit", "Currency", "Product Family"],
  ...["Location", "Location Type", "Instance Type", "vCPU", "Tenancy", "Operating System", "operation"],
  ...["CapacityStatus", "MarketOption", "Pre Installed S/W", "Region Code"],
];
const ordinary: Readonly<Record<string, string>> = {
  ...{ SKU: "2223B6PCG6QAUYY6", OfferTermCode: "JRTCKXETXF", TermType: "OnDemand", Unit: "Hrs", Currency: "USD" },
  ...{ PriceDescription: '$0.10 per "On Demand" Linux, plain', "Product Family": "Compute Instance", vCPU: "2" },
  ...{ Location: "EU (Frankfurt)", "Location Type": "AWS Region", Tenancy: "Shared", "Operating System": "Linux" },
  ...{ operation: "RunInstances", CapacityStatus: "Used", MarketOption: "OnDemand", "Pre Installed S/W": "NA" },
  "Region Code": "eu-central-1",
};
const line = (values: readonly string[]) => `${values.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")}\n`;
const row = (type: string, usd: string, changes: Readonly<Record<string, string>> = {}) => {
  const record = { ...ordinary, "Instance Type": type, PricePerUnit: usd, ...changes };
  return line(columns.map((column) => (record as Record<string, string>)[column] ?? ""));
};
const head = [
  line(["FormatVersion", "v1.0"]),
  line(["Disclaimer", "This pricing list is for informational purposes only."]),
  line(["Publication Date", "2026-11-19T18:03:11Z"]),
  line(["Version", "20261119180311"]),
  line(["OfferCode", "AmazonEC2"]),
];
const list = (...rows: readonly string[]) => [...head, line(columns), ...rows].join("");

const index = (version = "20261119180311") => ({
  formatVersion: "v1.0",
  regions: {
    "eu-central-1": {
      regionCode: "eu-central-1",
      currentVersionUrl: `/offers/v1.0/aws/AmazonEC2/${version}/eu-central-1/index.json`,
    },
  },
});

let server: Server;
let at = "";
let cache = "";
let asked: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  cache = mkdtempSync(join(tmpdir(), "gatebench-prices-"));
  server = createServer((request, response) => {
    asked.push(request.url as string);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(cache, { recursive: true });
});

const publishes = (csv: string, version?: string) => {
  answer = ({ url }, response) =>
    void response.end(url?.endsWith("region_index.json") ? JSON.stringify(index(version)) : csv);
};
const prices = () => awsPrices(["eu-central-1"], { at, cache });
const priced = async (...rows: readonly string[]) => {
  publishes(list(row("c5.large", "0.0970000000"), ...rows));
  const table = await prices();
  return (type: string) => table.pricePerHour(type, "eu-central-1")?.usd;
};

test("a price is the list's own, with its date", async () => {
  publishes(list(row("c5n.9xlarge", "2.2140000000")));
  const table = await prices();
  expect(table.pricePerHour("c5n.9xlarge", "eu-central-1")).toEqual({
    ...{ usd: 2.214, source: "AWS's price list", date: "2026-11-19" },
  });
  expect(table.pricePerHour("c5n.9xlarge", "us-east-1")).toBeUndefined();
  expect(table.pricePerHour("constructor", "eu-central-1")).toBeUndefined();
});

test.each([
  ["a reservation", { TermType: "Reserved" }],
  ["a month", { Unit: "Mo" }],
  ["another currency", { Currency: "CNY" }],
  ["a local zone", { "Location Type": "AWS Local Zone" }],
  ["Windows", { "Operating System": "Windows" }],
  ["another licence", { operation: "RunInstances:0010" }],
  ["a database in it", { "Pre Installed S/W": "SQL Web" }],
  ["capacity that nobody uses", { CapacityStatus: "UnusedCapacityReservation" }],
  ["a block of capacity", { MarketOption: "CapacityBlock" }],
  ["a machine for one customer", { Tenancy: "Dedicated" }],
  ["nothing", { PricePerUnit: "0.0000000000" }],
])("what %s costs is not the price", async (_, changes) => {
  const usd = await priced(row("c5.large", "0.5000000000", changes), row("m5.large", "0.5", changes));
  expect([usd("c5.large"), usd("m5.large")]).toEqual([0.097, undefined]);
});

test("bare metal that is listed as dedicated only has that price; where it is shared too, that one", async () => {
  const metal = { "Product Family": "Compute Instance (bare metal)" };
  const usd = await priced(
    row("c5.metal", "4.6560000000", { ...metal, Tenancy: "Dedicated" }),
    row("c7i.metal-24xl", "4.3", metal),
    row("c7i.metal-24xl", "4.7", { ...metal, Tenancy: "Dedicated" }),
  );
  expect([usd("c5.metal"), usd("c7i.metal-24xl")]).toEqual([4.656, 4.3]);
});

test("a type of which the list states two prices has none", async () => {
  const usd = await priced(row("m5.large", "0.115"), row("m5.large", "0.116"));
  expect(usd("m5.large")).toBeUndefined();
});

test("a list that is still the current one is not fetched again; a newer one is", async () => {
  publishes(list(row("c5.large", "0.097")));
  await prices();
  publishes("", "20261119180311");
  expect((await prices()).pricePerHour("c5.large", "eu-central-1")).toMatchObject({ usd: 0.097, date: "2026-11-19" });
  publishes(list(row("c5.large", "0.1")), "20261120000000");
  expect((await prices()).pricePerHour("c5.large", "eu-central-1")).toMatchObject({ usd: 0.1 });
  expect(asked.map((url) => url.replace("/offers/v1.0/aws/AmazonEC2/", ""))).toEqual([
    ...["current/region_index.json", "20261119180311/eu-central-1/index.csv"],
    ...["current/region_index.json"],
    ...["current/region_index.json", "20261120000000/eu-central-1/index.csv"],
  ]);
  expect(readdirSync(cache)).toEqual(["eu-central-1.json"]);
});

test("a cache that is damaged or cannot be written is none", async () => {
  publishes(list(row("c5.large", "0.097")));
  await prices();
  writeFileSync(join(cache, "eu-central-1.json"), readFileSync(join(cache, "eu-central-1.json")).subarray(0, 40));
  expect((await prices()).pricePerHour("c5.large", "eu-central-1")).toMatchObject({ usd: 0.097 });
  cache = join(cache, "eu-central-1.json");
  expect((await prices()).pricePerHour("c5.large", "eu-central-1")).toMatchObject({ usd: 0.097 });
  cache = join(cache, "..");
});

const advice = 'Look at the connection, or leave out "--prices aws": the table kept with gatebench needs none.';
const csvUrl = () => `${at}/offers/v1.0/aws/AmazonEC2/20261119180311/eu-central-1/index.csv`;
const indexUrl = () => `${at}/offers/v1.0/aws/AmazonEC2/current/region_index.json`;

test.each([
  ["is another file", "<html>blocked</html>", "it does not say when it was published"],
  ["is empty", "", "it does not say when it was published"],
  ["has other columns", [...head, line(["SKU", "TermType"])].join(""), 'it has no column "Unit"'],
  ["has no price of ours", list(row("c5.large", "0.1", { TermType: "Reserved" })), "no price of a machine with Linux"],
])("a list that %s is refused in one line, and not kept", async (_, csv, reason) => {
  publishes(csv);
  await expect(prices()).rejects.toThrow(`prices-unavailable: ${csvUrl()}: ${reason}`);
  await expect(prices()).rejects.toThrow(advice);
  expect(readdirSync(cache)).toEqual([]);
});

test("a list that ends too early is refused", async () => {
  answer = ({ url }, response) => {
    if (url?.endsWith("region_index.json")) return void response.end(JSON.stringify(index()));
    response.write(list(row("c5.large", "0.097")));
    setTimeout(() => response.destroy(), 50);
  };
  await expect(prices()).rejects.toThrow(`prices-unavailable: ${csvUrl()}: `);
  expect(readdirSync(cache)).toEqual([]);
});

async function freePort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await new Promise((resolve) => other.close(resolve));
  return port;
}

test("an address that does not answer, and one that refuses", async () => {
  answer = (_, response) => void response.writeHead(403).end("<Error/>");
  await expect(prices()).rejects.toThrow(`prices-unavailable: ${indexUrl()}: HTTP 403. ${advice}`);
  answer = (_, response) => void response.end('{"offers":{}}');
  await expect(prices()).rejects.toThrow(`prices-unavailable: ${indexUrl()}: it is no index of regions. ${advice}`);
  const port = await freePort();
  at = `http://127.0.0.1:${port}`;
  await expect(prices()).rejects.toThrow(
    `prices-unavailable: ${indexUrl()}: connect ECONNREFUSED 127.0.0.1:${port}. ${advice}`,
  );
});

test("a region that AWS has no list for is said with those it has", async () => {
  publishes(list());
  await expect(awsPrices(["eu-nowhere-1"], { at, cache })).rejects.toThrow(
    'prices-unavailable: AWS publishes no prices for the region "eu-nowhere-1". Known: eu-central-1.',
  );
});

test("a list larger than memory would like is read as it comes", async () => {
  const noise = Array.from({ length: 1000 }, (_, n) => row(`x${n}.large`, "1", { TermType: "Reserved" })).join("");
  const megabytes = 8;
  const times = Math.ceil((megabytes * 2 ** 20) / noise.length);
  let most = 0;
  answer = ({ url }, response) => {
    if (url?.endsWith("region_index.json")) return void response.end(JSON.stringify(index()));
    response.write(list(row("c5.large", "0.097")));
    let sent = 0;
    const send = (): void => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
      if (sent++ === times) return void response.end(row("m5.large", "0.115"));
      if (response.write(noise)) setImmediate(send);
      else response.once("drain", send);
    };
    send();
  };
  const before = process.memoryUsage().arrayBuffers;
  const table = await prices();
  expect(table.pricePerHour("m5.large", "eu-central-1")).toMatchObject({ usd: 0.115 });
  expect((most - before) / 2 ** 20).toBeLessThan(megabytes / 2);
}, 30_000);
