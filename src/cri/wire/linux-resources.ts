import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { LinuxContainerResources } from "../linux-types.ts";
import type { LinuxContainerResources as WireResources } from "./messages/linux-messages.ts";
import { safeNumber } from "./wrapped-numbers.ts";

type Wire = MessageOf<typeof WireResources>;

/** The limits of a cgroup, as a message. */
export const linuxResourcesToWire = (resources: LinuxContainerResources): Sent<Wire> => ({
  cpu_period: resources.cpuPeriod,
  cpu_quota: resources.cpuQuota,
  cpu_shares: resources.cpuShares,
  memory_limit_in_bytes: bytesToWire(resources.memoryLimitBytes),
  memory_swap_limit_in_bytes: bytesToWire(resources.memorySwapLimitBytes),
  oom_score_adj: resources.oomScoreAdj,
  cpuset_cpus: resources.cpusetCpus,
  cpuset_mems: resources.cpusetMems,
  hugepage_limits: resources.hugepageLimits?.map(({ pageSize, limit }) => ({
    page_size: pageSize,
    limit: BigInt(limit),
  })),
  unified: resources.unified,
});

/** The limits of a cgroup, from a message. Zeros are absent, but for that of the OOM score. */
export function linuxResourcesFromWire(wire: Wire): LinuxContainerResources {
  const limits = wire.hugepage_limits.map(({ page_size: pageSize, limit }) => ({
    pageSize,
    limit: safeNumber(limit) ?? Number.MAX_SAFE_INTEGER,
  }));
  return {
    ...(wire.cpu_period !== 0 && { cpuPeriod: wire.cpu_period }),
    ...(wire.cpu_quota !== 0 && { cpuQuota: wire.cpu_quota }),
    ...(wire.cpu_shares !== 0 && { cpuShares: wire.cpu_shares }),
    ...(wire.memory_limit_in_bytes !== 0n && {
      memoryLimitBytes: bytesFromWire(wire.memory_limit_in_bytes),
    }),
    ...(wire.memory_swap_limit_in_bytes !== 0n && {
      memorySwapLimitBytes: bytesFromWire(wire.memory_swap_limit_in_bytes),
    }),
    oomScoreAdj: wire.oom_score_adj,
    ...(wire.cpuset_cpus !== "" && { cpusetCpus: wire.cpuset_cpus }),
    ...(wire.cpuset_mems !== "" && { cpusetMems: wire.cpuset_mems }),
    ...(limits.length > 0 && { hugepageLimits: limits }),
    ...(Object.keys(wire.unified).length > 0 && { unified: wire.unified }),
  };
}

const bytesToWire = (bytes: number | undefined): bigint | undefined =>
  bytes === undefined ? undefined : BigInt(bytes);

/** A kubelet sends what it reads of a cgroup: a limit beyond all memory stands for none, which is -1. */
const bytesFromWire = (bytes: bigint): number => safeNumber(bytes) ?? -1;
