/** A range of IPv4 addresses. */
export interface Subnet {
  /** The first address, as a number. */
  readonly base: number;
  readonly prefixLength: number;
}

/** An address as a number; undefined if it is not an IPv4 address. */
export function parseAddress(text: string): number | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let address = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined;
    address = address * 256 + Number(part);
  }
  return address;
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");

/** Parses `172.17.0.0/16`; undefined if it is not a subnet. */
export function parseSubnet(text: string): Subnet | undefined {
  const match = /^([0-9.]+)\/([0-9]{1,2})$/.exec(text);
  const address = parseAddress(match?.[1] ?? "");
  const prefixLength = Number(match?.[2]);
  if (address === undefined || prefixLength > 32) return undefined;
  return { base: address - (address % 2 ** (32 - prefixLength)), prefixLength };
}

export const formatSubnet = ({ base, prefixLength }: Subnet): string =>
  `${formatAddress(base)}/${prefixLength}`;

const sizeOf = ({ prefixLength }: Subnet): number => 2 ** (32 - prefixLength);

export const contains = (subnet: Subnet, address: number): boolean =>
  address >= subnet.base && address < subnet.base + sizeOf(subnet);

export const overlaps = (a: Subnet, b: Subnet): boolean =>
  contains(a, b.base) || contains(b, a.base);

/** The lowest address of a range that is free: not the first or last of the subnet. */
export function freeAddress(
  subnet: Subnet,
  range: Subnet,
  taken: ReadonlySet<number>,
): number | undefined {
  const last = subnet.base + sizeOf(subnet) - 1;
  for (let address = range.base; address < range.base + sizeOf(range); address++)
    if (address !== subnet.base && address !== last && !taken.has(address)) return address;
  return undefined;
}

/** The first subnet of the pools that overlaps none of these. */
export function freeSubnet(
  pools: readonly { readonly subnet: Subnet; readonly prefixLength: number }[],
  taken: readonly Subnet[],
): Subnet | undefined {
  for (const { subnet, prefixLength } of pools) {
    const step = 2 ** (32 - prefixLength);
    for (let base = subnet.base; base < subnet.base + sizeOf(subnet); base += step) {
      const candidate = { base, prefixLength };
      if (!taken.some((other) => overlaps(candidate, other))) return candidate;
    }
  }
  return undefined;
}

/** The hardware address that docker gives to an address. */
export const macAddressOf = (address: number): string =>
  ["02", "42", ...[24, 16, 8, 0].map((shift) => hex(Math.floor(address / 2 ** shift) % 256))].join(
    ":",
  );

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
