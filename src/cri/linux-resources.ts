import type { LinuxContainerResources } from "./linux-types.ts";
import type { ContainerResources } from "./runtime-types.ts";

/** The limits of a container's cgroup: those that are given, or as a kubelet computes them. */
export function linuxResources(resources: ContainerResources): LinuxContainerResources {
  const { cpuLimitMillis, memoryLimitBytes, linux } = resources;
  if (linux) return linux;
  // A container with a limit and no request requests its limit.
  const cpuRequestMillis = resources.cpuRequestMillis ?? cpuLimitMillis;
  return {
    ...(cpuRequestMillis !== undefined && { cpuShares: cpuSharesOf(cpuRequestMillis) }),
    ...(cpuLimitMillis && { cpuPeriod, cpuQuota: cpuQuotaOf(cpuLimitMillis, cpuPeriod) }),
    ...(memoryLimitBytes && { memoryLimitBytes }),
  };
}

/** The resources that the limits of a cgroup stand for. */
export function resourcesOf(linux: LinuxContainerResources): ContainerResources {
  const { cpuShares = 0, cpuQuota = 0, cpuPeriod: period = 0, memoryLimitBytes = 0 } = linux;
  return {
    ...(cpuShares > 0 && { cpuRequestMillis: Math.ceil((cpuShares * 1000) / sharesPerCore) }),
    ...(cpuQuota > 0 && period > 0 && { cpuLimitMillis: Math.round((cpuQuota * 1000) / period) }),
    ...(memoryLimitBytes > 0 && { memoryLimitBytes }),
    linux,
  };
}

/** In microseconds. */
const cpuPeriod = 100_000;
const sharesPerCore = 1024;

/** The weight of a request of CPU among others. */
export const cpuSharesOf = (millis: number): number =>
  Math.min(Math.max(2, Math.floor((millis * sharesPerCore) / 1000)), 262_144);

/** The microseconds of each period that a limit of CPU allows; 0 for no limit. The kernel wants a thousand. */
export const cpuQuotaOf = (millis: number, period: number): number =>
  millis === 0 ? 0 : Math.max(1000, Math.floor((millis * period) / 1000));
