/** An IPv4 network: its first address as a number, and how many bits name it. */
export interface IpBlock {
  readonly base: number;
  readonly bits: number;
}

const written = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

/** undefined: not written as a CIDR. */
export function blockOf(cidr: string): IpBlock | undefined {
  const parts = written.exec(cidr)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [bits] = parts.splice(4) as [number];
  if (bits > 32 || parts.some((part) => part > 255)) return undefined;
  const address = parts.reduce((number, part) => number * 256 + part, 0);
  return { base: address - (address % 2 ** (32 - bits)), bits };
}

/** The address so many places behind the first of the network. */
export function addressIn({ base }: IpBlock, offset: number): string {
  const number = base + offset;
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
