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
  /** What the server was started with; the first address of the first is the server's own. */
  readonly configured: readonly AddressRange[];
  /** Whether the service that has that address exists. */
  readonly hasOwnService: () => boolean;
}

/**
 * The addresses of a cluster's services. One is taken by whoever creates the IPAddress of its name:
 * the store lets only one do that.
 */
export class ClusterIps {
  readonly #options: ClusterIpsOptions;
  /** Taken here for writes that are under way. */
  readonly #busy = new Set<string>();

  constructor(options: ClusterIpsOptions) {
    this.#options = options;
  }

  /** Why a service cannot have an address; undefined where it can. */
  whyNot(address: string, service: Parent): string | undefined {
    const ip = ipOf(address);
    if (!ip || !this.rangeOf(ip)) return "the provided network does not match the current range";
    return this.#find(formatIp(ip)) || this.#isReserved(ip, service)
      ? "provided IP is already allocated"
      : undefined;
  }

  /** A range that new services get such an address from. */
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

  /** Whether a write of this server that takes the address is under way. */
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

  /** Takes an address, which must be free. */
  taking(name: string, service: Parent): ObjectWrite {
    const object = this.#options.make(name, service);
    return { type: "put", address: addressOf(IPAddress, { name }), object, ifRevision: 0 };
  }

  /** Gives an address up; nothing if another service has it. One with finalizers is left to the repair. */
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

  /** The first address is kept for the service by which pods reach the server, until that exists. */
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
