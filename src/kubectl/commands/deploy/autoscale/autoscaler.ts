import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { type ResourceTarget, resourceTarget } from "./resource-target.ts";

/** What an autoscaler is made of. */
export interface Autoscaling {
  readonly name: string;
  /** The namespace that a flag named. */
  readonly namespace: string | undefined;
  readonly target: { readonly kind: DiscoveredKind; readonly name: string };
  readonly min: number;
  readonly max: number;
  /** The older form of `cpu`; negative if not given. */
  readonly cpuPercent: number;
  readonly cpu: string;
  readonly memory: string;
}

/** The autoscaler in autoscaling/v2. */
export function autoscalerV2(plan: Autoscaling): DynamicObject {
  const { cpuPercent, cpu, memory } = plan;
  const metrics = [
    ...(cpuPercent > 0
      ? [metric("cpu", { type: "Utilization", averageUtilization: cpuPercent })]
      : []),
    ...(cpu === "" ? [] : [metric("cpu", resourceTarget("cpu", cpu))]),
    ...(memory === "" ? [] : [metric("memory", resourceTarget("memory", memory))]),
  ];
  return autoscaler(plan, "autoscaling/v2", metrics.length > 0 ? { metrics } : {});
}

/** The autoscaler in autoscaling/v1, which knows the share of CPU only. */
export function autoscalerV1(plan: Autoscaling): DynamicObject {
  const { cpuPercent } = plan;
  return autoscaler(
    plan,
    "autoscaling/v1",
    cpuPercent >= 0 ? { targetCPUUtilizationPercentage: cpuPercent } : {},
  );
}

const metric = (name: string, target: ResourceTarget): object => ({
  type: "Resource",
  resource: { name, target },
});

function autoscaler(
  { name, namespace, target, min, max }: Autoscaling,
  apiVersion: string,
  aims: object,
): DynamicObject {
  const { group, version, kind } = target.kind;
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion,
    metadata: { name, ...(namespace && { namespace }) },
    spec: {
      scaleTargetRef: {
        kind,
        name: target.name,
        apiVersion: group === "" ? version : `${group}/${version}`,
      },
      ...(min > 0 && { minReplicas: min }),
      maxReplicas: max,
      ...aims,
    },
  };
}
