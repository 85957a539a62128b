import {
  normaliseClusterIps,
  patchAllocatedValues,
} from "../../api/core/v1/service/service-allocation.ts";
import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import { initIpFamilies } from "../../api/core/v1/service/service-ip-families.ts";
import {
  headless,
  type ServiceBody,
  type ServiceDraft,
} from "../../api/core/v1/service/service-spec.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import { At } from "../../schema/language/report.ts";
import type { CommitOutcome } from "../../store/store.ts";
import type { Commit } from "../objects/registry.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import type { ClusterIps } from "./cluster-ips.ts";
import { dryRunClaim } from "./dry-run-claim.ts";
import type { NodePorts } from "./node-ports.ts";
import { allocateAddresses } from "./service-addresses.ts";
import { claimFor, type ServiceClaim } from "./service-claim.ts";
import { allocatePorts, portsHeld } from "./service-ports.ts";
import type { ServiceRanges } from "./service-ranges.ts";
import { refusalOf } from "./service-refusal.ts";

export interface ServiceAllocatorOptions {
  readonly cache: WatchCache;
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
  readonly ranges: ServiceRanges;
  /** The families that the cluster has, its default first. */
  readonly families: readonly IpFamily[];
  readonly commit: Commit;
}

/** A service that is about to be written. */
export interface ServiceWrite {
  readonly draft: ServiceDraft;
  readonly old: ServiceBody | undefined;
  readonly dryRun: boolean;
}

/** Gives services their addresses and ports, and takes them back. */
export interface ServiceAllocator {
  /** Runs a write with the completed service; again, where another server was given the same. */
  write<T>(
    service: ServiceWrite,
    run: (draft: ServiceDraft, commit: Commit | undefined) => Promise<T>,
  ): Promise<T>;
  /** Commits the removal of a service, and with it of all that it has. */
  remove(service: ServiceBody): Commit;
}

export function serviceAllocator(options: ServiceAllocatorOptions): ServiceAllocator {
  const { cache, clusterIps, nodePorts } = options;
  return {
    async write(service, run) {
      const avoided = new Set<string>();
      let isFresh = false;
      for (;;) {
        const draft = copyJson(service.draft);
        const claim = attempt(() => claimed(options, { ...service, draft }, avoided));
        if (claim instanceof StatusError) {
          // What is in the way may be gone, and the cache behind: it is looked at once more.
          if (isFresh) throw claim;
          await cache.fresh();
          isFresh = true;
          continue;
        }
        try {
          const result = await run(draft, claim.commit);
          if (!claim.isLost) return result;
        } finally {
          claim.end();
        }
        // What is in the way may be news to the cache.
        await cache.fresh();
      }
    },
    remove: (service) => async (ops) => {
      const { namespace = "", name = "" } = service.metadata;
      const addresses = (service.spec.clusterIPs ?? []).filter((ip) => ip !== headless);
      const ports = { taken: new Set<number>(), givenUp: new Set(portsHeld(service)) };
      for (;;) {
        const outcome = await nodePorts.commit(ports, (portOps) => {
          const freed = addresses.flatMap((ip) => clusterIps.givingUp(ip, { namespace, name }));
          return options.commit([...freed, ...portOps, ...ops]);
        });
        if (outcome !== "lost" && (outcome.ok || isOf(ops, outcome))) return outcome;
        await cache.fresh();
      }
    },
  };
}

const isOf = (ops: readonly { readonly key: string }[], outcome: CommitOutcome): boolean =>
  !outcome.ok && ops.some(({ key }) => key === outcome.key);

function attempt<T>(work: () => T): T | StatusError {
  try {
    return work();
  } catch (error) {
    if (StatusError.is(error)) return error;
    throw error;
  }
}

/** Completes a service with what it claims. */
function claimed(
  options: ServiceAllocatorOptions,
  { draft, old, dryRun }: ServiceWrite,
  avoided: Set<string>,
): ServiceClaim {
  if (old) patchAllocatedValues(draft, old);
  normaliseClusterIps(draft, old);
  const at = At.root();
  initIpFamilies(draft, at, { old, families: options.families });
  if (at.errors.length > 0) throw refusalOf(draft, at);
  const made = dryRun ? dryRunClaim(options) : claimFor(draft, { ...options, avoided });
  try {
    allocateAddresses(draft, old, made.addresses);
    allocatePorts(draft, old, made.ports);
    return made;
  } catch (error) {
    made.end();
    throw error;
  }
}
