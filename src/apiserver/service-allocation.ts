import type { ServiceBody, ServiceDraft } from "../api/core/v1/service-spec.ts";
import type { Random } from "../base/random.ts";
import type { WatchCache } from "./cache.ts";
import type { Allocate } from "./registry.ts";
import type { Resources } from "./resources.ts";
import { ServiceAllocator } from "./service-allocator.ts";

export interface ServiceAllocationOptions {
  readonly random: Random;
  /** The range that cluster IPs are taken from. */
  readonly serviceRange?: string | undefined;
  readonly cache: WatchCache;
  readonly resources: Resources;
}

/** Services are the only kind that is allocated anything. */
export function serviceAllocation({
  random,
  serviceRange = "10.0.0.0/24",
  cache,
  resources,
}: ServiceAllocationOptions): Allocate {
  const services = resources.find("", "v1", "services");
  if (!services) return () => () => {};
  const allocator = new ServiceAllocator({ cache, kind: services, random, range: serviceRange });
  return (kind, object, old) =>
    kind === services
      ? allocator.begin(
          object as unknown as ServiceDraft,
          old as unknown as ServiceBody | undefined,
        )
      : () => {};
}
