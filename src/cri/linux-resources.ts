import type { LinuxContainerResources } from "./linux-types.ts";
import type { ContainerResources } from "./runtime-types.ts";

/** The limits of a container's cgroup: those that are given, or as a kubelet computes them. */
export function linuxResources(resources: ContainerResources): LinuxContainerResources {
  const { cpuLimitMillis, memoryLimitBytes, linux } = resources;
  // A container with a limit and no request requests its limit.
  const cpuRequestMillis = resources.cpuRequestMillis ?? cpuLimitMillis;
  return {
    ...(cpuRequestMillis !== undefined && { cpuShares: sharesOf(cpuRequestMillis) }),
    ...(cpuLimitMillis && { cpuPeriod, cpuQuota: quotaOf(cpuLimitMillis) }),
    ...(memoryLimitBytes && { memoryLimitBytes }),
    ...linux,
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

const sharesOf = (millis: number): number =>
  Math.min(Math.max(2, Math.floor((millis * sharesPerCore) / 1000)), 262_144);

const quotaOf = (millis: number): number => Math.max(1000, Math.floor((millis * cpuPeriod) / 1000));
