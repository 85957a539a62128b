import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import type { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import {
  type Cidr,
  contains,
  type Ip,
  masked,
  parseCidr,
  parseIp,
} from "../../schema/values/ip.ts";

const managedByLabel = "ipaddress.kubernetes.io/managed-by";
const allocatorName = "ipallocator.k8s.io";

/** The address of an IPAddress that the API server allocated; undefined for those of others. */
export function allocatedIp({ metadata }: IPAddress): Ip | undefined {
  if (metadata.labels?.[managedByLabel] !== allocatorName) return undefined;
  return parseIp(metadata.name ?? "");
}

/** Whether services can get an address from a range. */
export const givesAddress = (range: ServiceCIDR, ip: Ip): boolean =>
  cidrsOf(range).some((cidr) => gives(cidr, ip));

/** Whether two ranges have an address in common. */
export const overlap = (a: ServiceCIDR, b: ServiceCIDR): boolean =>
  cidrsOf(a).some((one) =>
    cidrsOf(b).some((other) => includes(one, other) || includes(other, one)),
  );

/**
 * The first allocated address that would belong to no range without `range`; undefined if the range can
 * be deleted.
 */
export function blockingAddress(
  range: ServiceCIDR,
  ranges: readonly ServiceCIDR[],
  addresses: readonly IPAddress[],
): IPAddress | undefined {
  const others = ranges.filter(({ metadata }) => metadata.name !== range.metadata.name);
  const rest = others.flatMap(cidrsOf);
  const own = cidrsOf(range);
  if (own.every((cidr) => rest.some((other) => includes(other, cidr)))) return undefined;
  return addresses.find((address) => {
    const ip = allocatedIp(address);
    if (!ip || !own.some((cidr) => gives(cidr, ip))) return false;
    return !rest.some((cidr) => gives(cidr, ip));
  });
}

const cidrsOf = ({ spec }: ServiceCIDR): readonly Cidr[] =>
  (spec.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);

/** Whether a network contains all of another. */
const includes = (outer: Cidr, inner: Cidr): boolean =>
  outer.prefix <= inner.prefix && contains(outer, inner.ip);

/** The addresses of the network itself and of broadcasts are never allocated. */
function gives(cidr: Cidr, ip: Ip): boolean {
  if (!contains(cidr, ip)) return false;
  const first = masked(cidr).ip.bits;
  if (ip.bits === first) return false;
  return ip.version === 6 || ip.bits !== first + (1n << BigInt(32 - cidr.prefix)) - 1n;
}
