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
import type { CommitPart } from "../objects/commit-part.ts";
import type { ClusterIps } from "./cluster-ips.ts";
import { dryRunClaim } from "./dry-run-claim.ts";
import type { NodePorts } from "./node-port-allocator.ts";
import { allocateAddresses } from "./service-addresses.ts";
import { claimFor, type ServiceClaim } from "./service-claim.ts";
import { allocatePorts, portsHeld } from "./service-ports.ts";
import type { ServiceRanges } from "./service-ranges.ts";
import { rejectionOf } from "./service-rejection.ts";

export interface ServiceAllocatorOptions {
  /** Waits until the cache has caught up with the store. */
  readonly catchUp: () => Promise<unknown>;
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
  readonly ranges: ServiceRanges;
  /** The IP families of the cluster, its default first. */
  readonly families: readonly IpFamily[];
}

/** A service that is about to be written. */
export interface ServiceWrite {
  readonly draft: ServiceDraft;
  readonly old: ServiceBody | undefined;
  readonly dryRun: boolean;
}

/** A service and its claim. */
export interface ClaimedService extends Pick<ServiceClaim, "part" | "end"> {
  readonly draft: ServiceDraft;
}

/** Claims addresses and ports for a write. Each further call avoids the ones that were lost. */
export function allocateService(
  options: ServiceAllocatorOptions,
  service: ServiceWrite,
): () => Promise<ClaimedService> {
  const avoided = new Set<string>();
  let attempts = 0;
  return async () => {
    // The cache may not have the write of the other server that won yet.
    if (attempts++ > 0) await options.catchUp();
    const first = attempt(options, service, avoided);
    if (!(first instanceof StatusError)) return first;
    // The cache may be behind, and the value may be free by now.
    await options.catchUp();
    const second = attempt(options, service, avoided);
    if (second instanceof StatusError) throw second;
    return second;
  };
}

function attempt(
  options: ServiceAllocatorOptions,
  service: ServiceWrite,
  avoided: Set<string>,
): ClaimedService | StatusError {
  const draft = copyJson(service.draft);
  try {
    const { part, end } = claimed(options, { ...service, draft }, avoided);
    return { draft, part, end };
  } catch (error) {
    if (StatusError.is(error)) return error;
    throw error;
  }
}

/** Releases all addresses and ports of a service that is removed. */
export function releaseService(
  { clusterIps, nodePorts, catchUp }: ServiceAllocatorOptions,
  service: ServiceBody,
): CommitPart {
  const { namespace = "", name = "" } = service.metadata;
  const addresses = (service.spec.clusterIPs ?? []).filter((ip) => ip !== headless);
  const ports = nodePorts.change({ taken: new Set(), givenUp: new Set(portsHeld(service)) });
  return {
    lane: ports.lane,
    changes() {
      const portChanges = ports.changes();
      const freed = addresses.flatMap((ip) => clusterIps.givingUp(ip, { namespace, name }));
      return portChanges === "lost" ? "lost" : [...freed, ...portChanges];
    },
    async failed(outcome) {
      const reaction = await ports.failed(outcome);
      if (reaction !== undefined) return reaction;
      if (!addresses.some((ip) => clusterIps.isKeyOf(outcome.key, ip))) return undefined;
      await catchUp();
      return "retry";
    },
  };
}

/** Completes a service with the values that it claims. */
function claimed(
  options: ServiceAllocatorOptions,
  { draft, old, dryRun }: ServiceWrite,
  avoided: Set<string>,
): ServiceClaim {
  if (old) patchAllocatedValues(draft, old);
  normaliseClusterIps(draft, old);
  const at = At.root();
  initIpFamilies(draft, at, { old, families: options.families });
  if (at.errors.length > 0) throw rejectionOf(draft, at);
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
