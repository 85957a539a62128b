import type { LinuxResources } from "./linux-resources.ts";
import { weightOfShares } from "./resource-writes.ts";

/** A property of a slice of systemd; all that limit something are numbers of 64 bits. */
export type SliceProperty = readonly [name: string, value: string];

/** The properties of a slice that limit it so. */
export function sliceProperties(
  { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes, pidsLimit }: LinuxResources,
  isV2: boolean,
): readonly SliceProperty[] {
  return [
    ...(memoryLimitBytes
      ? [[isV2 ? "MemoryMax" : "MemoryLimit", limitText(memoryLimitBytes)] as const]
      : []),
    ...(cpuShares ? [weightOf(cpuShares, isV2)] : []),
    ...(cpuPeriod ? [["CPUQuotaPeriodUSec", `${cpuPeriod}`] as const] : []),
    ...(cpuQuota || cpuPeriod
      ? [["CPUQuotaPerSecUSec", quotaText(cpuQuota, cpuPeriod)] as const]
      : []),
    ...(pidsLimit ? [["TasksMax", limitText(pidsLimit)] as const] : []),
  ];
}

/** systemd counts CPU in percent: a quota is rounded up, so that what is below can have all that it expects. */
export function withWholePercents(resources: LinuxResources): LinuxResources {
  const { cpuQuota = 0, cpuPeriod = defaultPeriod } = resources;
  if (cpuQuota <= 0) return resources;
  return { ...resources, cpuQuota: Math.floor((perSecond(cpuQuota, cpuPeriod) * cpuPeriod) / 1e6) };
}

const weightOf = (shares: number, isV2: boolean): SliceProperty =>
  isV2 ? ["CPUWeight", `${weightOfShares(shares)}`] : ["CPUShares", `${shares}`];

const quotaText = (quota = 0, period = defaultPeriod): string =>
  quota > 0 ? `${perSecond(quota, period)}` : infinity;

/** The microseconds of each second, in whole percents. */
const perSecond = (quota: number, period: number): number =>
  Math.ceil(Math.floor((quota * 1e6) / period) / 10_000) * 10_000;

const limitText = (limit: number): string => (limit < 0 ? infinity : `${limit}`);

const defaultPeriod = 100_000;
const infinity = "18446744073709551615";
