import type { LinuxResources } from "../../../platform/cgroups/linux-resources.ts";
import type { OciResources } from "./oci-types.ts";

/** Limits of a cgroup in the form of an OCI configuration; values that are not set are left out. */
export function ociResources(resources: LinuxResources): OciResources {
  const cpu = present({
    shares: resources.cpuShares,
    quota: resources.cpuQuota,
    period: resources.cpuPeriod,
    cpus: resources.cpusetCpus,
    mems: resources.cpusetMems,
  });
  const memory = present({
    limit: resources.memoryLimitBytes,
    reservation: resources.memoryReservationBytes,
    swap: resources.memorySwapBytes,
    disableOOMKiller: resources.oomKillDisable,
  });
  const { pidsLimit, blkioWeight, hugepageLimits = [], unified = {} } = resources;
  return {
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    ...(pidsLimit !== undefined && { pids: { limit: pidsLimit } }),
    ...(blkioWeight !== undefined && { blockIO: { weight: blkioWeight } }),
    ...(hugepageLimits.length > 0 && {
      hugepageLimits: hugepageLimits.map(({ pageSize, limitBytes }) => ({
        pageSize,
        limit: limitBytes,
      })),
    }),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The values that are set, or undefined if none is. */
function present<T extends object>(values: T): Present<T> | undefined {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Present<T>);
}
