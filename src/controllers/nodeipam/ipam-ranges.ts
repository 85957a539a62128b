import { type Cidr, masked, parseCidrSloppy } from "../../schema/values/ip.ts";

/** The settings that say which ranges nodes get. */
export interface IpamSettings {
  /** The networks of pods, one or one of each family, separated by commas. */
  readonly clusterCidr: string;
  /** The networks of services, which nodes do not get. */
  readonly serviceCidr: string;
  /** The bits of the masks of nodes' ranges; 0 for the usual ones. */
  readonly maskSize: number;
  readonly maskSizeIpv4: number;
  readonly maskSizeIpv6: number;
}

/** The networks that are divided among nodes. */
export interface IpamRanges {
  readonly networks: readonly {
    readonly cidr: Cidr;
    /** The bits of the mask of a node's range. */
    readonly prefix: number;
  }[];
  readonly services: readonly Cidr[];
}

/** The networks that settings describe; throws upstream's error if they contradict each other. */
export function ipamRanges(settings: IpamSettings): IpamRanges {
  const cidrs = clusterCidrs(settings.clusterCidr);
  const [ipv4, ipv6] = maskSizes(settings, cidrs);
  const networks = cidrs.map((cidr) => ({ cidr, prefix: cidr.ip.version === 4 ? ipv4 : ipv6 }));
  for (const { cidr, prefix } of networks) {
    if (cidr.prefix > prefix)
      throw new Error(
        "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family",
      );
    if (cidr.ip.version === 6 && prefix - cidr.prefix > mostBits)
      throw new Error("New CIDR set failed; the node CIDR size is too big");
  }
  return { networks, services: serviceCidrs(settings.serviceCidr) };
}

/** Ranges of more bits would take too much memory upstream. */
const mostBits = 16;

function clusterCidrs(list: string): readonly Cidr[] {
  const cidrs = list
    .trim()
    .split(",")
    .map((text, i) => {
      const cidr = parseCidrSloppy(text);
      if (!cidr) throw new Error(`invalid CIDR[${i}]: <nil> (invalid CIDR address: ${text})`);
      return masked(cidr);
    });
  if (cidrs.length > 1 && !isDualStack(cidrs))
    throw new Error(
      `len of ClusterCIDRs==${cidrs.length} and they are not configured as dual stack (at least one from each IPFamily`,
    );
  if (cidrs.length > 2)
    throw new Error(`length of clusterCIDRs is:${cidrs.length} more than max allowed of 2`);
  return cidrs;
}

/** Networks of services that cannot be parsed are ignored, as upstream does. */
function serviceCidrs(list: string): readonly Cidr[] {
  const cidrs = list
    .split(",")
    .slice(0, 2)
    .map((text) => parseCidrSloppy(text.trim()))
    .filter((cidr) => cidr !== undefined);
  if (cidrs.length > 1 && !isDualStack(cidrs))
    throw new Error(
      "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)",
    );
  return cidrs.map(masked);
}

const isDualStack = (cidrs: readonly Cidr[]): boolean =>
  ([4, 6] as const).every((version) => cidrs.some(({ ip }) => ip.version === version));

/** The sizes of masks for both families. */
function maskSizes(
  { maskSize, maskSizeIpv4, maskSizeIpv6 }: IpamSettings,
  cidrs: readonly Cidr[],
): readonly [ipv4: number, ipv6: number] {
  const usual = [maskSizeIpv4 || 24, maskSizeIpv6 || 64] as const;
  if (cidrs.length > 1) {
    if (maskSize !== 0)
      throw new Error("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
    return usual;
  }
  if (maskSize !== 0) {
    if (maskSizeIpv4 !== 0 || maskSizeIpv6 !== 0)
      throw new Error(
        "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags",
      );
    return [maskSize, maskSize];
  }
  const isIpv6 = cidrs[0]?.ip.version === 6;
  if (maskSizeIpv4 !== 0 && isIpv6)
    throw new Error(
      "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
    );
  if (maskSizeIpv6 !== 0 && !isIpv6)
    throw new Error(
      "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster",
    );
  return usual;
}
