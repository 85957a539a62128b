import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { ResourceRequirements } from "../../../api/core/v1/container/resource-requirements.ts";
import type { ContainerStatus as RuntimeContainer } from "../../../cri/runtime-types.ts";
import { formatQuantity, quantityOf } from "../../../schema/values/quantity.ts";
import { bytesOf, milliCpuOf } from "../resource-amounts.ts";
import type { PodResources } from "./allocation-store.ts";

export interface ActualInput {
  /** The container, with its allocated resources. */
  readonly container: Pick<Container, "name" | "resources">;
  readonly running: RuntimeContainer;
  /** Its previous status, if it is of the same container. */
  readonly old: ContainerStatus | undefined;
  readonly actuated: PodResources | undefined;
}

/**
 * The resources in force of a running container, which its status reports. What the runtime does not know is as it
 * was reported before; what it rounds up is as it was allocated.
 */
export function actualResources(input: ActualInput): ResourceRequirements {
  const { container, running, old, actuated } = input;
  const { resources: allocated } = container;
  const { requests, limits } = allocated ?? {};
  if (!requests && !limits) return allocated ?? {};
  const { cpuLimitMillis, memoryLimitBytes, cpuRequestMillis } = running.resources;
  const known = actuated?.containers[container.name];
  const memoryRequest = actuated
    ? bytesOf(known?.requests, "memory")
    : running.resources.memoryRequestBytes;
  return {
    ...allocated,
    ...(limits && {
      limits: {
        ...limits,
        ...cpuText(limits, cpuLimitMillis, { least: leastLimit, before: old?.resources?.limits }),
        ...memoryText(limits, memoryLimitBytes, old?.resources?.limits),
      },
    }),
    ...(requests && {
      requests: {
        ...requests,
        ...cpuText(requests, cpuRequestMillis, {
          ...{ least: leastRequest, before: old?.resources?.requests },
        }),
        ...memoryText(requests, memoryRequest, old?.resources?.requests),
      },
    }),
  };
}

type Amounts = Readonly<Record<string, string>>;

/** The runtime reports at least so many thousandths of a core. */
const leastLimit = 10;
const leastRequest = 2;

function cpuText(
  allocated: Amounts,
  actual: number | undefined,
  { least, before }: { readonly least: number; readonly before: Amounts | undefined },
): Amounts {
  if (!actual) return before?.cpu === undefined ? {} : { cpu: before.cpu };
  const amount = milliCpuOf(allocated);
  if (amount === actual || (amount <= least && actual <= least)) return {};
  return { cpu: formatQuantity(quantityOf(actual, "DecimalSI", -3)) };
}

function memoryText(
  allocated: Amounts,
  actual: number | undefined,
  before: Amounts | undefined,
): Amounts {
  if (!actual) return before?.memory === undefined ? {} : { memory: before.memory };
  const isSame = bytesOf(allocated, "memory") === actual && allocated.memory?.endsWith("i");
  return isSame ? {} : { memory: formatQuantity(quantityOf(actual, "BinarySI")) };
}
