/** Addresses of IPv4 networks, as numbers and as CIDRs. */

const PARTS = [24, 16, 8, 0];

const numberOf = (address) => address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
const addressOf = (number) => PARTS.map((shift) => Math.trunc(number / 2 ** shift) % 256).join(".");

/** @param {string} cidr @returns {[first: number, last: number]} */
function range(cidr) {
  const [address, length] = cidr.split("/");
  const size = 2 ** (32 - Number(length));
  const first = Math.floor(numberOf(address) / size) * size;
  return [first, first + size - 1];
}

export const prefixOf = (cidr) => Number(cidr.split("/")[1]);

/** The n-th address of a network; the last one is number -1. @param {string} cidr @param {number} number */
export function nthOf(cidr, number) {
  const [first, last] = range(cidr);
  return addressOf(number < 0 ? last + 1 + number : first + number);
}

export const sizeOf = (cidr) => 2 ** (32 - prefixOf(cidr));

/** An address by itself is a network as well. */
export function contains(outer, inner) {
  const [[from, to], [first, last]] = [range(outer), range(inner.includes("/") ? inner : `${inner}/32`)];
  return from <= first && last <= to;
}

export function overlap(one, other) {
  const [[from, to], [first, last]] = [range(one), range(other)];
  return from <= last && first <= to;
}
