/**
 * A site: the network that machines of one VPC share. It is a bridge of this computer's, with a private network and a public
 * one, 10.78.N.0/24. This computer has the first public address, so it reaches every machine by its public address. A
 * VPC's private network is its CIDR, which another VPC may have too, so this computer has no address in it; a site without
 * a VPC has 10.77.N.0/24, and this computer the first of these.
 */
import { mkdir, rm } from "node:fs/promises";
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { claimed, namesIn, readRecord, sitesOf, writeRecord } from "./folders.mjs";
import { requireTwin } from "./requirements.mjs";
import { contains, nthOf, overlap, prefixOf, sizeOf } from "./ip-range.mjs";
import { fault, run, succeeds } from "./shell.mjs";

const SUBNETS = 250;
const FIRST_HOST = 10;
/** All that the public networks of sites lie in. */
const PUBLIC = "10.78.0.0/16";

/** @typedef {{ id: string, state: string, bridge: string, subnet: number, network: string, publicNetwork: string }} Site */

/** @param {string} state @param {string} [id] @param {string} [cidr]  Of a VPC. @returns {Promise<Site>} */
export async function createSite(state, id = `site-${randomBytes(4).toString("hex")}`, cidr) {
  requireTwin();
  const folder = join(sitesOf(state), id);
  if (cidr && overlap(cidr, PUBLIC)) throw publicFault(cidr);
  await mkdir(join(folder, "addresses"), { recursive: true });
  const siteAt = (subnet) => ({ id, state, bridge: bridgeOf(subnet), subnet, ...networksOf(subnet, cidr) });
  const subnet = await takeSubnet((subnet) => writeRecord(folder, siteAt(subnet)), ownerOf(state, id));
  const site = siteAt(subnet);
  const reached = cidr ? [site.publicNetwork] : [site.network, site.publicNetwork];
  for (const network of reached) await run("ip", "address", "add", `${nthOf(network, 1)}/24`, "dev", site.bridge);
  await run("ip", "link", "set", site.bridge, "up");
  return site;
}

const networksOf = (subnet, cidr = `10.77.${subnet}.0/24`) => ({
  network: cidr,
  publicNetwork: `10.78.${subnet}.0/24`,
});

const publicFault = (cidr) =>
  fault("twin-cidr", `a VPC of the twin cannot have ${cidr}: public addresses are in ${PUBLIC}. Choose another CIDR.`);

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

/** @param {Site} site @returns {Promise<string>} a public address nobody else has */
export const takePublicAddress = (site) => takeFirst(site, site.publicNetwork, FIRST_HOST);

/** Of a VPC's subnet, as EC2 would: its first four addresses and its last one are kept for itself. */
const FIRST_OF_SUBNET = 4;

/** @param {Site} site @param {string} [subnet]  The part of the site's network to choose from. */
export function takePrivateAddress(site, subnet = site.network) {
  return takeFirst(site, subnet, sizeOf(subnet) < 256 ? FIRST_OF_SUBNET : FIRST_HOST);
}

async function takeFirst(site, network, first) {
  const numbers = Math.min(sizeOf(network), 256) - 1; // The last one is for broadcasts.
  for (let number = first; number < numbers; number++) {
    const address = nthOf(network, number);
    if (await claimAddress(site, address)) return address;
  }
  const possible = `${nthOf(network, first)} to ${nthOf(network, numbers - 1)}`;
  throw fault(
    "twin-address",
    `site ${site.id} has no free address in ${network}: ${possible} are taken. Destroy some machines.`,
  );
}

/** @param {Site} site @returns {Promise<boolean>} whether it was free, and is taken now */
export const claimAddress = ({ id, state }, address) => claimed(join(sitesOf(state), id, "addresses", address));

/** @returns {"outside" | "reserved" | undefined} why no machine in this subnet can have the address */
export function unfitFor(subnet, address) {
  if (!contains(subnet, address)) return "outside";
  const kept = [...Array(FIRST_OF_SUBNET).keys(), -1].map((number) => nthOf(subnet, number));
  return kept.includes(address) ? "reserved" : undefined;
}

/** How a machine's packets find their way. @param {Site} site @param {import("./machine.mjs").Machine} machine */
export const networkOf = ({ network, publicNetwork }, { privateIp, publicIp, subnet = network, routes = [] }) => ({
  addresses: [`${privateIp}/${prefixOf(subnet)}`, `${publicIp}/${prefixOf(publicNetwork)}`],
  // Other subnets of the VPC are on the same bridge.
  routes: [
    ...(subnet === network ? [] : [[network, "dev", "eth0"]]),
    ["default", "via", nthOf(publicNetwork, 1)],
    ...routes,
  ],
});

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
