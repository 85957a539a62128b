import { type AddressRange, addressRange } from "./address-range.ts";
import type { PortRange } from "./port-bits.ts";

/** The default range of cluster IPs. */
export const defaultServiceRange = "10.0.0.0/24";

/** The ranges from which services get addresses and ports. */
export interface ServiceNetworkOptions {
  /**
   * The range that cluster IPs are taken from, or one of each family with a comma between, the
   * default first; `10.0.0.0/24` if not given.
   */
  readonly serviceRange?: string;
  /** The ports that services have on nodes; 30000 to 32767 if not given. */
  readonly nodePortRange?: PortRange;
  /** The name of this machine, by which events identify the server. */
  readonly hostname?: string;
}

/** The default range of node ports. */
export const usualPorts: PortRange = { first: 30000, last: 32767 };

/** The ranges that a server is started with, its default family first. */
export function configuredRanges(text = defaultServiceRange): AddressRange[] {
  const ranges = text.split(",").map((cidr) => {
    const range = addressRange(cidr.trim());
    if (!range) throw new Error(`${cidr} is not a range of addresses like 10.0.0.0/24`);
    return range;
  });
  if (ranges.length > 2 || (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family))
    throw new Error(`${text} should be one range of addresses, or one of IPv4 and one of IPv6`);
  return ranges;
}
