import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { Ip } from "../../schema/values/ip.ts";
import { anyKind, type ObjectReader } from "../objects/reader.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { type AddressRange, addressRange, gives } from "./address-range.ts";

/** The name of the ServiceCIDR of the configured ranges. */
export const defaultRangeName = "kubernetes";

/** The ranges that services get addresses from: those of the ServiceCIDRs, as the cache has them. */
export class ServiceRanges {
  readonly #cache: WatchCache;
  readonly #configured: readonly AddressRange[];
  /** The number of the change of the ServiceCIDRs at which `#known` was computed. */
  #asOf = -1;
  #known: Known = { ready: [], all: [] };

  constructor({ cache }: ObjectReader, configured: readonly AddressRange[]) {
    this.#cache = cache;
    this.#configured = configured;
  }

  /** The ranges of a family that new services get addresses from. */
  ready(family: IpFamily): AddressRange[] {
    return this.#look().ready.filter((range) => range.family === family);
  }

  /** Whether an address is in any range, including ranges that are being deleted. */
  contains(ip: Ip): boolean {
    return this.#look().all.some((range) => gives(range, ip));
  }

  #look(): Known {
    const resource = this.#cache.of(anyKind(ServiceCIDR));
    if (this.#asOf !== resource.endOfEvents) {
      const objects = Array.from(resource.readable(resource.prefix), ({ object }) => object);
      this.#known = rangesOf(objects as unknown as ServiceCIDR[], this.#configured);
      this.#asOf = resource.endOfEvents;
    }
    return this.#known;
  }
}

interface Known {
  readonly ready: readonly AddressRange[];
  readonly all: readonly AddressRange[];
}

/** The configured ranges are used while the default ServiceCIDR does not exist. */
function rangesOf(objects: readonly ServiceCIDR[], configured: readonly AddressRange[]): Known {
  const all = new Map<string, AddressRange>();
  const ready = new Map<string, AddressRange>();
  const add = (range: AddressRange, isReadyToo: boolean) => {
    all.set(range.cidr, range);
    if (isReadyToo) ready.set(range.cidr, range);
  };
  for (const object of objects)
    for (const cidr of object.spec.cidrs ?? []) {
      const range = addressRange(cidr);
      if (range) add(range, isReady(object));
    }
  if (!objects.some(({ metadata }) => metadata.name === defaultRangeName))
    for (const range of configured) add(range, true);
  return { ready: [...ready.values()], all: [...all.values()] };
}

/** A range without the condition counts as ready: there may be no controller that sets it. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp) return false;
  const condition = status.conditions?.find(({ type }) => type === "Ready");
  return !condition || condition.status === "True";
}
