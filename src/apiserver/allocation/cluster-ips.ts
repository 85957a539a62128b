import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import type { Random } from "../../base/random.ts";
import { formatIp, type Ip, parseIpSloppy, unmap } from "../../schema/values/ip.ts";
import { keyOf } from "../objects/address.ts";
import type { ObjectWrite } from "../objects/commit-part.ts";
import { addressOf, type ObjectReader } from "../objects/reader.ts";
import type { Stored } from "../objects/stored.ts";
import { type AddressRange, candidates } from "./address-range.ts";
import type { MakeIpAddress, Parent } from "./ip-address-maker.ts";
import type { ServiceRanges } from "./service-ranges.ts";

export interface ClusterIpsOptions {
  readonly reader: ObjectReader;
  readonly random: Random;
  readonly ranges: ServiceRanges;
  readonly make: MakeIpAddress;
  /** The configured ranges; the first address of the first range belongs to the server's own service. */
  readonly configured: readonly AddressRange[];
  /** Whether the service that has that address exists. */
  readonly hasOwnService: () => boolean;
}

/**
 * The addresses of a cluster's services. An address is allocated by creating the IPAddress of its
 * name, which succeeds for one server only.
 */
export class ClusterIps {
  readonly #options: ClusterIpsOptions;
  /** Addresses that pending writes of this server claim. */
  readonly #busy = new Set<string>();

  constructor(options: ClusterIpsOptions) {
    this.#options = options;
  }

  /** The reason why a service cannot have an address; undefined if it can. */
  whyNot(address: string, service: Parent): string | undefined {
    const ip = ipOf(address);
    if (!ip || !this.rangeOf(ip)) return "the provided network does not match the current range";
    return this.#find(formatIp(ip)) || this.#isReserved(ip, service)
      ? "provided IP is already allocated"
      : undefined;
  }

  /** A range from which new services get addresses, and which contains this one. */
  rangeOf(ip: Ip): AddressRange | undefined {
    const { ranges } = this.#options;
    return ranges
      .ready(ip.version === 4 ? "IPv4" : "IPv6")
      .find(({ first, last }) => ip.bits >= first && ip.bits <= last);
  }

  /** A free address of a family, from any range that has one; none of `avoided`. */
  choose(family: IpFamily, service: Parent, avoided: ReadonlySet<string>): string | undefined {
    const { ranges, random } = this.#options;
    for (const range of shuffled(ranges.ready(family), () => random.next()))
      for (const ip of candidates(range, random)) {
        const name = formatIp(ip);
        const isFree = !this.#busy.has(name) && !avoided.has(name) && !this.#find(name);
        if (isFree && !this.#isReserved(ip, service)) return name;
      }
    return undefined;
  }

  /** Whether a pending write of this server claims the address. */
  isBusy(name: string): boolean {
    return this.#busy.has(name);
  }
  hold(name: string): void {
    this.#busy.add(name);
  }
  letGo(name: string): void {
    this.#busy.delete(name);
  }

  keyOf(name: string): string {
    return keyOf(addressOf(IPAddress, { name }));
  }

  /** Whether a key is that of the IPAddress of an address as services write it. */
  isKeyOf(key: string, address: string): boolean {
    const ip = ipOf(address);
    return ip !== undefined && this.keyOf(formatIp(ip)) === key;
  }

  /** Allocates an address, which must be free. */
  taking(name: string, service: Parent): ObjectWrite {
    const object = this.#options.make(name, service);
    return { type: "put", address: addressOf(IPAddress, { name }), object, ifRevision: 0 };
  }

  /** Releases an address, unless another service has it. One with finalizers is left to the repair. */
  givingUp(address: string, { namespace, name }: Parent): ObjectWrite[] {
    const ip = ipOf(address);
    const stored = ip && this.#find(formatIp(ip));
    if (!stored) return [];
    const { metadata, spec } = stored.object as unknown as IPAddress;
    const { group = "", resource, ...parent } = spec.parentRef ?? {};
    const isOurs =
      group === "" &&
      resource === "services" &&
      parent.namespace === namespace &&
      parent.name === name;
    if (!isOurs || (metadata.finalizers?.length ?? 0) > 0) return [];
    const { name: ownName = "" } = metadata;
    const { revision: ifRevision } = stored;
    return [{ type: "delete", address: addressOf(IPAddress, { name: ownName }), ifRevision }];
  }

  #find(name: string): Stored | undefined {
    return this.#options.reader.findCached(addressOf(IPAddress, { name }));
  }

  /** The first address is reserved for the service `kubernetes` until that exists. */
  #isReserved({ version, bits }: Ip, { namespace, name }: Parent): boolean {
    const [range] = this.#options.configured;
    if (!range || range.first !== bits) return false;
    if ((version === 4 ? "IPv4" : "IPv6") !== range.family) return false;
    if (namespace === "default" && name === "kubernetes") return false;
    return !this.#options.hasOwnService();
  }
}

/** An address as services write it: leading zeros, and IPv4 in the form of IPv6, are allowed. */
export function ipOf(address: string): Ip | undefined {
  const ip = parseIpSloppy(address);
  return ip && unmap(ip);
}

function shuffled<T>(items: readonly T[], chance: () => number): T[] {
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) {
    const index = rest.length === 1 ? 0 : Math.floor(chance() * rest.length);
    order.push(...rest.splice(index, 1));
  }
  return order;
}
