import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import type { ServiceBody, ServiceDraft } from "../../api/core/v1/service/service-spec.ts";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { Address } from "../objects/address.ts";
import { type Allocator, noAllocation, type Release } from "../objects/allocator.ts";
import type { Environment } from "../objects/environment.ts";
import type { ObjectDraft } from "../objects/object.ts";
import { addressOf, anyKind, type ObjectReader } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { ownParts } from "../verbs/writer.ts";
import { readAllocationMetrics } from "./allocation-metrics.ts";
import { ClusterIps } from "./cluster-ips.ts";
import { ipAddressMaker } from "./ip-address-maker.ts";
import { NodePorts } from "./node-port-allocator.ts";
import { type BackgroundTask, repairTasks, type TaskState } from "./repair-tasks.ts";
import {
  allocateService,
  releaseService,
  type ServiceAllocatorOptions,
} from "./service-allocator.ts";
import { configuredRanges, type ServiceNetworkOptions, usualPorts } from "./service-network.ts";
import { ServiceRanges } from "./service-ranges.ts";

export interface ServiceAllocationOptions extends ServiceNetworkOptions {
  readonly reader: ObjectReader;
  readonly resources: Resources;
  readonly environment: Environment;
  /** Where allocations are counted; they are not if not given. */
  readonly metrics?: Metrics;
}

/** The allocator of a server, and the tasks that repair its allocations. */
export interface ServiceAllocation {
  readonly allocator: Allocator;
  /** Resolves when services can be created: the default range exists, and the first repairs are done. */
  start(parts: VerbParts): Promise<void>;
  /** The state of each task, once it was started. */
  readonly state: readonly TaskState[];
  /** Continues on a fork, without the first repairs. */
  resume(parts: VerbParts, state: readonly TaskState[]): void;
  close(): void;
}

/** Services are the only kind with allocated values. */
export function serviceAllocation(options: ServiceAllocationOptions): ServiceAllocation {
  const { reader, metrics = noMetrics, hostname = "localhost" } = options;
  if (!reader.serves(Service)) return nothingToAllocate;
  const allocation = partsOf(options);
  readAllocationMetrics(metrics, {
    ...allocation,
    addresses: () => reader.cache.of(anyKind(IPAddress)),
  });
  const running: BackgroundTask[] = [];
  const groups = (parts: VerbParts): BackgroundTask[][] => {
    const { committer } = parts;
    return repairTasks({
      ...allocation,
      parts: { ...ownParts(parts), committer },
      hostname,
      metrics,
    });
  };
  return {
    allocator: allocatorOf(reader, allocation.options),
    get state() {
      return running.map((part) => part.state);
    },
    async start(parts) {
      for (const group of groups(parts)) {
        running.push(...group);
        await Promise.all(group.map((part) => part.start())).catch((cause: unknown) => {
          throw new Error("unable to perform initial IP and Port allocation check", { cause });
        });
      }
    },
    resume(parts, state) {
      running.push(...groups(parts).flat());
      for (const [i, part] of running.entries()) part.resume(state[i] as TaskState);
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

function partsOf({ reader, resources, environment, ...options }: ServiceAllocationOptions) {
  const { cache } = reader;
  const configured = configuredRanges(options.serviceRange);
  const ranges = new ServiceRanges(reader, configured);
  const make = ipAddressMaker({ resources, environment });
  const ownService = { namespace: "default", name: "kubernetes" };
  const clusterIps = new ClusterIps({
    reader,
    random: environment.random,
    ranges,
    configured,
    make,
    hasOwnService: () => reader.findCached(addressOf(Service, ownService)) !== undefined,
  });
  const nodePorts = new NodePorts(cache, environment.random, options.nodePortRange ?? usualPorts);
  const allocator: ServiceAllocatorOptions = {
    catchUp: () => reader.catchUp(),
    ranges,
    clusterIps,
    nodePorts,
    families: configured.map(({ family }) => family),
  };
  return { configured, ranges, make, clusterIps, nodePorts, options: allocator };
}

function allocatorOf(reader: ObjectReader, options: ServiceAllocatorOptions): Allocator {
  const services = anyKind(Service);
  return {
    begin({ kind, draft, old, dryRun }) {
      if (kind !== services) return undefined;
      const claim = allocateService(options, {
        draft: draft as unknown as ServiceDraft,
        old: old as unknown as ServiceBody | undefined,
        dryRun,
      });
      return {
        async claim() {
          const { draft: completed, part, end } = await claim();
          return { draft: completed as unknown as ObjectDraft, part, end };
        },
      };
    },
    release: (address, revision) =>
      address.kind === services ? release(reader, options, { address, revision }) : undefined,
  };
}

async function release(
  reader: ObjectReader,
  options: ServiceAllocatorOptions,
  { address, revision }: { readonly address: Address; readonly revision: number },
): Promise<Release> {
  const cached = reader.findCached(address);
  const stored = cached?.revision === revision ? cached : await reader.find(address);
  // A new service of the same name must not be served by the endpoints of the old one.
  const endpoints = addressOf(Endpoints, address);
  const dependents = reader.serves(Endpoints) && reader.findCached(endpoints) ? [endpoints] : [];
  const part = stored && releaseService(options, stored.object as unknown as ServiceBody);
  return { part: part ?? nothingToRelease, dependents: part ? dependents : [] };
}

const nothingToRelease = { changes: () => [], failed: () => undefined };
