import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";
import { podLimits, podRequests } from "../../../api/core/v1/pod/pod-requests.ts";
import { cpuQuotaOf, cpuSharesOf } from "../../../cri/linux-resources.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import type { PodSandboxResources } from "../../../cri/runtime-types.ts";
import { bytesOf, milliCpuOf } from "../resource-amounts.ts";
import { isCritical } from "./critical-pod.ts";
import { hugePageLimits } from "./huge-pages.ts";
import type { ResourceSettings } from "./linux-settings.ts";
import { containerMemoryQos } from "./memory-qos.ts";
import { oomScoreAdj } from "./oom-score.ts";

/** The limits of a container's cgroup. Where it has none, those of the pod as a whole count. */
export function linuxContainerResources(
  pod: Pod,
  container: Container | EphemeralContainer,
  settings: ResourceSettings,
): LinuxContainerResources {
  const { requests, limits } = container.resources ?? {};
  const whole = pod.spec.resources?.limits;
  const basic = basicResources(
    {
      cpuRequest: requests?.cpu === undefined ? undefined : milliCpuOf(requests),
      cpuLimit: milliCpuOf(limits) || milliCpuOf(whole),
      memoryLimit: bytesOf(limits, "memory") || bytesOf(whole, "memory"),
    },
    settings,
  );
  const limited = withSwap(
    {
      ...basic,
      oomScoreAdj: oomScoreAdj(pod, container, settings.memoryCapacityBytes),
      hugepageLimits: hugePageLimits(settings.hugePageSizes, whole, limits),
    },
    { pod, container, settings },
  );
  const { memoryQos } = settings;
  if (!memoryQos) return limited;
  const files = containerMemoryQos(pod, container, memoryQos);
  return { ...limited, unified: { ...limited.unified, ...files } };
}

/** The limits of all containers of a pod together, and what its sandbox needs beside them. */
export function linuxSandboxResources(
  { spec }: Pod,
  settings: ResourceSettings,
): PodSandboxResources {
  const { overhead, ...own } = spec;
  const requests = podRequests(own);
  const limits = podLimits(own);
  return {
    containers: basicResources(
      {
        cpuRequest: requests.cpu === undefined ? undefined : milliCpuOf(requests),
        cpuLimit: milliCpuOf(limits),
        memoryLimit: bytesOf(limits, "memory"),
      },
      settings,
    ),
    // Overhead is guaranteed: what is requested is the limit.
    overhead:
      overhead &&
      basicResources(
        {
          cpuRequest: milliCpuOf(overhead),
          cpuLimit: milliCpuOf(overhead),
          memoryLimit: bytesOf(overhead, "memory"),
        },
        settings,
      ),
  };
}

/** Limits with CPU that is not limited: where CPU limits are not enforced at all, they are as they were. */
export const withoutQuota = (limits: LinuxContainerResources): LinuxContainerResources =>
  limits.cpuPeriod === undefined ? limits : { ...limits, cpuQuota: -1 };

interface Amounts {
  readonly cpuRequest: number | undefined;
  readonly cpuLimit: number;
  readonly memoryLimit: number;
}

function basicResources(
  { cpuRequest, cpuLimit, memoryLimit }: Amounts,
  { cgroupVersion, cpuQuota, cpuQuotaPeriod, singleProcessOomKill }: ResourceSettings,
): LinuxContainerResources {
  return {
    // A container with a limit and no request requests its limit.
    cpuShares: cpuSharesOf(cpuRequest ?? cpuLimit),
    ...(memoryLimit !== 0 && { memoryLimitBytes: memoryLimit }),
    ...(cpuQuota && { cpuQuota: cpuQuotaOf(cpuLimit, cpuQuotaPeriod), cpuPeriod: cpuQuotaPeriod }),
    ...(cgroupVersion === 2 && !singleProcessOomKill && { unified: { "memory.oom.group": "1" } }),
  };
}

interface SwapInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly settings: ResourceSettings;
}

/** Containers do not swap, unless the node allows it to those of burstable pods, in proportion to their requests. */
function withSwap(
  resources: LinuxContainerResources,
  { pod, container, settings }: SwapInput,
): LinuxContainerResources {
  if (!settings.canLimitSwap) return resources;
  // In version 1, a limit of memory and swap together that equals that of memory alone.
  if (settings.cgroupVersion === 1)
    return { ...resources, memorySwapLimitBytes: resources.memoryLimitBytes };
  const request = bytesOf(container.resources?.requests, "memory");
  const swap = maySwap(pod, container, settings) ? swapFor(request, settings) : 0;
  return { ...resources, unified: { ...resources.unified, "memory.swap.max": String(swap) } };
}

function maySwap(
  pod: Pod,
  { resources }: Container | EphemeralContainer,
  { swapBehavior }: ResourceSettings,
): boolean {
  if (swapBehavior !== "LimitedSwap" || isCritical(pod) || podQosClass(pod) !== "Burstable")
    return false;
  return bytesOf(resources?.requests, "memory") !== bytesOf(resources?.limits, "memory");
}

function swapFor(
  request: number,
  { memoryCapacityBytes, swapCapacityBytes }: ResourceSettings,
): number {
  if (memoryCapacityBytes <= 0 || request > memoryCapacityBytes) return 0;
  return Math.trunc((request / memoryCapacityBytes) * swapCapacityBytes);
}
