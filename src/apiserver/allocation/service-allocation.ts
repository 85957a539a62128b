import type { ServiceBody, ServiceDraft } from "../../api/core/v1/service/service-spec.ts";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import {
  type Address,
  type Allocator,
  commitTo,
  keyOf,
  type Registry,
} from "../objects/registry.ts";
import type { Resources } from "../objects/resources.ts";
import { Stored } from "../objects/stored.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { readAllocationMetrics } from "./allocation-metrics.ts";
import { ClusterIps } from "./cluster-ips.ts";
import { ipAddressMaker } from "./ip-address-maker.ts";
import { noAllocation } from "./no-allocation.ts";
import { NodePorts } from "./node-ports.ts";
import { type ServiceAllocator, serviceAllocator } from "./service-allocator.ts";
import { configuredRanges, type ServiceNetworkOptions, usualPorts } from "./service-network.ts";
import { ServiceRanges } from "./service-ranges.ts";
import { type Running, type RunningState, upkeep } from "./upkeep.ts";

export interface ServiceAllocationOptions extends ServiceNetworkOptions {
  readonly cache: WatchCache;
  readonly resources: Resources;
  readonly registry: () => Registry;
  readonly log: Log;
  /** Where what is allocated is counted; nowhere if not given. */
  readonly metrics?: Metrics;
}

/** The allocator of a server, and what keeps in order that which it has allocated. */
export interface ServiceAllocation {
  readonly allocator: Allocator;
  /** Resolves when services can be created: the default range exists, and all was repaired once. */
  start(): Promise<void>;
  /** How far what keeps it in order has come, once it was started. */
  readonly state: readonly RunningState[];
  /** Begins on a fork, without any work that was done before. */
  resume(state: readonly RunningState[]): void;
  close(): void;
}

const ipAddresses = IPAddress as unknown as AnyKind;
const serviceCidrs = ServiceCIDR as unknown as AnyKind;

/** Services are the only kind that is allocated anything. */
export function serviceAllocation(options: ServiceAllocationOptions): ServiceAllocation {
  const services = options.resources.find("", "v1", "services");
  if (!services) return nothingToAllocate;
  const parts = partsOf(options, services);
  const { cache, metrics = noMetrics } = options;
  readAllocationMetrics(metrics, { ...parts, addresses: () => cache.of(ipAddresses) });
  const running: Running[] = [];
  const groups = (): Running[][] => {
    const { hostname = "localhost", log } = options;
    const kinds = { services, ipAddresses, serviceCidrs };
    const registry = unattended(options.registry());
    return upkeep({ ...parts, ...kinds, registry, hostname, log, metrics });
  };
  return {
    allocator: allocatorOf(options, services, parts.allocator),
    get state() {
      return running.map((part) => part.state);
    },
    async start() {
      for (const group of groups()) {
        running.push(...group);
        await Promise.all(group.map((part) => part.start())).catch((cause: unknown) => {
          throw new Error("unable to perform initial IP and Port allocation check", { cause });
        });
      }
    },
    resume(state) {
      running.push(...groups().flat());
      for (const [i, part] of running.entries()) part.resume(state[i] as RunningState);
    },
    close() {
      for (const part of running) part.close();
    },
  };
}

const nothingToAllocate: ServiceAllocation = {
  allocator: noAllocation,
  state: [],
  start: async () => {},
  resume: () => {},
  close: () => {},
};

function partsOf(options: ServiceAllocationOptions, services: AnyKind) {
  const { cache, registry } = options;
  const configured = configuredRanges(options.serviceRange);
  const ranges = new ServiceRanges(cache, serviceCidrs, configured);
  const make = ipAddressMaker(registry, ipAddresses);
  const ownService = keyOf({ kind: services, namespace: "default", name: "kubernetes" });
  const clusterIps = new ClusterIps({
    registry,
    kind: ipAddresses,
    ranges,
    configured,
    make,
    hasOwnService: () => cache.of(services).get(ownService) !== undefined,
  });
  const random = { next: () => registry().random.next() };
  const nodePorts = new NodePorts(cache, random, options.nodePortRange ?? usualPorts);
  const allocator = serviceAllocator({
    cache,
    ranges,
    clusterIps,
    nodePorts,
    families: configured.map(({ family }) => family),
    commit: (ops) => commitTo(registry())(ops),
  });
  return { configured, ranges, make, clusterIps, nodePorts, allocator };
}

function allocatorOf(
  { cache, registry, log }: ServiceAllocationOptions,
  services: AnyKind,
  allocator: ServiceAllocator,
): Allocator {
  const find = async (address: Address, revision: number): Promise<Stored | undefined> => {
    const key = keyOf(address);
    const cached = cache.of(services).get(key);
    if (cached?.revision === revision) return cached;
    const entry = await registry().store.get(key);
    return entry && new Stored(services, entry);
  };
  return {
    write({ kind, draft, old, dryRun }, run) {
      if (kind !== services) return run(draft);
      const service = {
        draft: draft as unknown as ServiceDraft,
        old: old as unknown as ServiceBody | undefined,
        dryRun,
      };
      return allocator.write(service, (whole, commit) =>
        run(whole as unknown as ObjectDraft, commit),
      );
    },
    removal: (address, revision) =>
      address.kind === services
        ? find(address, revision).then((stored) => async (ops) => {
            if (!stored) return commitTo(registry())(ops);
            const service = stored.object as unknown as ServiceBody;
            const outcome = await allocator.remove(service)(ops);
            if (outcome.ok)
              await removeEndpoints(registry(), address).catch((error: unknown) =>
                log.error("endpoints of a service could not be deleted", error, {
                  name: address.name,
                }),
              );
            return outcome;
          })
        : undefined,
  };
}

/** A new service of the same name is not to be served by what the old one has left. */
async function removeEndpoints(registry: Registry, { namespace, name }: Address): Promise<void> {
  const kind = registry.resources.find("", "v1", "endpoints");
  if (!kind) return;
  const address = { kind, namespace, name };
  if (!registry.cache.of(kind).get(keyOf(address))) return;
  const removal = deleteObject(unattended(registry), address, {
    options: {},
    context: serverContext(),
  });
  await tolerating(["NotFound"], removal);
}

/** The server needs nobody's leave. */
const unattended = (registry: Registry): Registry => ({
  ...registry,
  admission: { admit: async () => {}, validate: async () => {} },
});
