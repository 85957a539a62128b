import type { LoadBalancerIngress } from "../../api/core/v1/service/load-balancer-status.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { formatKeyOf } from "../../client/resource-kind.ts";
import { type Cidr, contains, formatIp, type Ip, masked, parseIp } from "../../schema/values/ip.ts";

/** What the status of a service should say of its load balancer. */
export interface LoadBalancerPlan {
  readonly service: Service;
  /** The addresses; none if the service has no load balancer any more. */
  readonly ingress: readonly LoadBalancerIngress[];
  /** Why an address is missing. */
  readonly problem?: string | undefined;
}

/**
 * Gives an address of each range to the services of type LoadBalancer, if they have the family of the range. A service
 * keeps the address that it has; of two with one address, the older keeps it. A service with a class is somebody
 * else's.
 */
export function planLoadBalancers(
  services: readonly Service[],
  ranges: readonly Cidr[],
): readonly LoadBalancerPlan[] {
  const sorted = [...services].sort(byAge);
  const taken = new Map<string, Service>();
  const kept = new Map(
    sorted.filter(isBalanced).map((service) => {
      const addresses = ranges.map((range) => {
        const address = isWanted(service, range) ? presentAddress(service, range) : undefined;
        if (address === undefined || taken.has(address)) return undefined;
        taken.set(address, service);
        return address;
      });
      return [service, addresses];
    }),
  );
  return sorted.flatMap((service): readonly LoadBalancerPlan[] => {
    const addresses = kept.get(service);
    if (!addresses) return hasOwnAddress(service, ranges) ? [{ service, ingress: [] }] : [];
    const problems: string[] = [];
    const ingress = ranges.flatMap((range, i): readonly LoadBalancerIngress[] => {
      if (!isWanted(service, range)) return [];
      const found = addresses[i] ?? allocate(service, range, taken);
      if (typeof found !== "string") {
        problems.push(found.problem);
        return [];
      }
      taken.set(found, service);
      return [{ ip: found, ipMode: "VIP" }];
    });
    return [{ service, ingress, ...(problems.length > 0 && { problem: problems.join("; ") }) }];
  });
}

const isBalanced = ({ spec, metadata }: Service): boolean =>
  spec.type === "LoadBalancer" &&
  spec.loadBalancerClass === undefined &&
  metadata.deletionTimestamp === undefined;

const isWanted = ({ spec }: Service, { ip }: Cidr): boolean =>
  (spec.ipFamilies ?? ["IPv4"]).includes(`IPv${ip.version}`);

/** The address that a service has of a range; undefined if it asks for another. */
function presentAddress(service: Service, range: Cidr): string | undefined {
  const addresses = addressesOf(service).filter((text) => isIn(range, text));
  const requested = requestedAddress(service, range);
  return requested === undefined ? addresses[0] : addresses.find((text) => text === requested);
}

/** The address that a service asks for, if it has the family of a range. */
function requestedAddress({ spec }: Service, range: Cidr): string | undefined {
  const ip = parseIp(spec.loadBalancerIP ?? "");
  return ip?.version === range.ip.version ? formatIp(ip) : undefined;
}

const addressesOf = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));

const hasOwnAddress = (service: Service, ranges: readonly Cidr[]): boolean =>
  service.spec.loadBalancerClass === undefined &&
  addressesOf(service).some((text) => ranges.some((range) => isIn(range, text)));

function isIn(range: Cidr, text: string): boolean {
  const ip = parseIp(text);
  return ip?.version === range.ip.version && contains(range, ip);
}

function allocate(
  service: Service,
  range: Cidr,
  taken: ReadonlyMap<string, Service>,
): string | { readonly problem: string } {
  const requested = requestedAddress(service, range);
  if (requested !== undefined) {
    if (!isIn(range, requested)) return { problem: `${requested} is not in ${text(range)}` };
    const owner = taken.get(requested);
    if (owner) return { problem: `${requested} is used by ${formatKeyOf(owner)}` };
    return requested;
  }
  for (const ip of addressesIn(range)) {
    const address = formatIp(ip);
    if (!taken.has(address)) return address;
  }
  return { problem: `no address is free in ${text(range)}` };
}

/** The addresses of a range without its first and, for IPv4, its last: programs take these for something else. */
function* addressesIn(range: Cidr): Generator<Ip> {
  const { ip } = masked(range);
  const size = 1n << BigInt((ip.version === 4 ? 32 : 128) - range.prefix);
  const end = ip.version === 4 ? size - 1n : size;
  for (let offset = 1n; offset < end; offset++) yield { ...ip, bits: ip.bits + offset };
}

const text = ({ ip, prefix }: Cidr): string => `${formatIp(ip)}/${prefix}`;

function byAge(a: Service, b: Service): number {
  const [at, bt] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? "");
  const [au, bu] = [a, b].map(({ metadata }) => metadata.uid ?? "");
  return compare(at, bt) || compare(au, bu);
}

const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0);
