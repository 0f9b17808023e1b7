/**
 * A site: the network that machines of one VPC share. It is a bridge of this computer's, with a private and a public
 * subnet of its own: 10.77.N.0/24 and 10.78.N.0/24. This computer has the first address of each, so it reaches every machine.
 */
import { mkdir, rm } from "node:fs/promises";
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { claimed, namesIn, readRecord, sitesOf, writeRecord } from "./folders.mjs";
import { requireTwin } from "./requirements.mjs";
import { fault, run, succeeds } from "./shell.mjs";

const SUBNETS = 250;
const FIRST_HOST = 10;
const LAST_HOST = 250;

/** @typedef {{ id: string, state: string, bridge: string, subnet: number }} Site */

/** @param {string} state @param {string} [id] @returns {Promise<Site>} */
export async function createSite(state, id = `site-${randomBytes(4).toString("hex")}`) {
  requireTwin();
  const folder = join(sitesOf(state), id);
  await mkdir(join(folder, "addresses"), { recursive: true });
  const record = (subnet) => writeRecord(folder, { id, state, bridge: bridgeOf(subnet), subnet });
  const subnet = await takeSubnet(record, ownerOf(state, id));
  await run("ip", "address", "add", `10.77.${subnet}.1/24`, "dev", bridgeOf(subnet));
  await run("ip", "address", "add", `10.78.${subnet}.1/24`, "dev", bridgeOf(subnet));
  await run("ip", "link", "set", bridgeOf(subnet), "up");
  return readRecord(folder);
}

const bridgeOf = (subnet) => `gbtwin${subnet}`;

/** A bridge's hardware address says whose it is: two twins may try for the same name at once. */
function ownerOf(state, id) {
  const bytes = createHash("sha256").update(`${state} ${id}`).digest("hex").slice(0, 10).match(/../g);
  return ["02", ...bytes].join(":");
}

/** The kernel decides who has a subnet: there is only one bridge of a name. Recorded first, so that a crash loses none. */
async function takeSubnet(record, owner) {
  for (let subnet = 0; subnet < SUBNETS; subnet++) {
    if (await succeeds("ip", "link", "show", bridgeOf(subnet))) continue;
    await record(subnet);
    if (await succeeds("ip", "link", "add", bridgeOf(subnet), "address", owner, "type", "bridge")) return subnet;
  }
  const advice = `"ip link" shows what is taken, "node test/twin/twin.mjs destroy" takes down the twins of a state folder.`;
  throw fault("twin-subnet", `no bridge gbtwin0 to gbtwin${SUBNETS - 1} can be made. ${advice}`);
}

const networks = { private: "10.77", public: "10.78" };

/** @param {Site} site @param {"private" | "public"} kind @returns {Promise<string>} an address nobody else has */
export async function takeAddress({ id, state, subnet }, kind) {
  for (let number = FIRST_HOST; number <= LAST_HOST; number++) {
    const address = `${networks[kind]}.${subnet}.${number}`;
    if (await claimed(join(sitesOf(state), id, "addresses", address))) return address;
  }
  const possible = LAST_HOST - FIRST_HOST + 1;
  throw fault("twin-address", `site ${id} has no free ${kind} address: a site has ${possible}. Destroy some machines.`);
}

export const giveAddressBack = ({ id, state }, address) =>
  rm(join(sitesOf(state), id, "addresses", address), { recursive: true, force: true });

export const siteOf = (state, id) => readRecord(join(sitesOf(state), id));

export async function sites(state) {
  const found = await Promise.all((await namesIn(sitesOf(state))).map((id) => siteOf(state, id)));
  return found.filter(Boolean);
}

/** Its machines must be gone. */
export async function destroySite(state, id) {
  const site = await siteOf(state, id);
  if (site && (await isOurs(site))) await run("ip", "link", "delete", site.bridge);
  await rm(join(sitesOf(state), id), { recursive: true, force: true });
}

const isOurs = async ({ state, id, bridge }) =>
  (await run("ip", "link", "show", bridge).catch(() => "")).includes(ownerOf(state, id));
