import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { containersInOrder } from "../../topology/containers-in-order.ts";
import { bytesOf, milliCpuOf } from "../resource-amounts.ts";

export interface StaticPolicies {
  readonly configuration: Pick<KubeletConfiguration, "cpuManagerPolicy" | "memoryManagerPolicy">;
  /** The feature gates that are on. */
  readonly features: ReadonlySet<string>;
}

/** Why the CPU or the memory of a pod cannot be resized: static policies allocate it once. Undefined if it can. */
export function refuseStaticResize(
  pod: Pod,
  allocated: Pod["spec"],
  { configuration, features }: StaticPolicies,
): string | undefined {
  if (podQosClass(pod) !== "Guaranteed") return undefined;
  const known = new Map(containersInOrder({ spec: allocated }).map((one) => [one.name, one]));
  const changes = (amountOf: (amounts: Amounts | undefined) => number): boolean =>
    containersInOrder(pod).some(
      ({ name, resources }) =>
        amountOf(resources?.requests) !== amountOf(known.get(name)?.resources?.requests),
    );
  const message = (manager: string, policy: string): string =>
    `Resize is infeasible for Guaranteed Pods alongside ${manager} Manager policy "${policy}"`;
  if (
    configuration.cpuManagerPolicy === "static" &&
    !features.has("InPlacePodVerticalScalingExclusiveCPUs") &&
    changes(milliCpuOf)
  )
    return message("CPU", "static");
  if (
    configuration.memoryManagerPolicy === "Static" &&
    !features.has("InPlacePodVerticalScalingExclusiveMemory") &&
    changes((amounts) => bytesOf(amounts, "memory"))
  )
    return message("Memory", "Static");
  return undefined;
}

type Amounts = Readonly<Record<string, string>>;
