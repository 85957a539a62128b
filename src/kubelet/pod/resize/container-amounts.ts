import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ResourceRequirements } from "../../../api/core/v1/container/resource-requirements.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import { bytesOf, milliCpuOf } from "../resource-amounts.ts";

/** What a resize changes of a container; 0 for none. CPU is in thousandths of cores, memory in bytes. */
export interface ContainerAmounts {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
}

/** The amounts of a container; limits of its pod as a whole count where it has none. */
export const amountsOf = (
  resources: ResourceRequirements | undefined,
  ofPod: ResourceRequirements | undefined,
): ContainerAmounts => ({
  cpuRequest: milliCpuOf(resources?.requests),
  cpuLimit: milliCpuOf(resources?.limits) || milliCpuOf(ofPod?.limits),
  memoryRequest: bytesOf(resources?.requests, "memory"),
  memoryLimit: bytesOf(resources?.limits, "memory") || bytesOf(ofPod?.limits, "memory"),
});

/** The amounts that a runtime without cgroups reports. */
export const runtimeAmounts = (resources: ContainerResources): ContainerAmounts => ({
  cpuRequest: resources.cpuRequestMillis ?? 0,
  cpuLimit: resources.cpuLimitMillis ?? 0,
  memoryRequest: resources.memoryRequestBytes ?? 0,
  memoryLimit: resources.memoryLimitBytes ?? 0,
});

/** A container with other amounts, of which zeros count as given. */
export const withAmounts = (container: Container, amounts: ContainerAmounts): Container => ({
  ...container,
  resources: {
    ...container.resources,
    requests: {
      ...container.resources?.requests,
      ...{ cpu: `${amounts.cpuRequest}m`, memory: `${amounts.memoryRequest}` },
    },
    limits: {
      ...container.resources?.limits,
      ...{ cpu: `${amounts.cpuLimit}m`, memory: `${amounts.memoryLimit}` },
    },
  },
});
