import type { ResourceRequirements } from "../../../api/core/v1/container/resource-requirements.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isSidecar } from "../container/restart-policy.ts";

/** What a kubelet must know of the resources of pods after it was restarted. */
export interface AllocationStore {
  /** The resources that the node has promised: what a pod requests, unless a resize is pending. */
  readonly allocated: ResourceState;
  /** The resources that were last set: they differ from the allocated ones while a resize is in progress. */
  readonly actuated: ResourceState;
}

/** The resources of pods, by UID. */
export interface ResourceState {
  get(podUid: string): PodResources | undefined;
  /** Resolves when the kubelet will find it after a restart. */
  set(podUid: string, resources: PodResources): Promise<void>;
  remove(podUid: string): void;
  /** Removes all pods but these. */
  retain(podUids: ReadonlySet<string>): void;
}

/** The resources of a pod as a whole, and of its containers by name. */
export interface PodResources {
  readonly pod?: ResourceRequirements | undefined;
  readonly containers: Readonly<Record<string, ResourceRequirements>>;
}

/** The resources that a pod requests and that can be resized. */
export function podResourcesOf({ spec }: Pick<Pod, "spec">): PodResources {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const entries = [...(spec.containers ?? []), ...sidecars].map(
    ({ name, resources }) => [name, resources ?? {}] as const,
  );
  return { pod: spec.resources, containers: Object.fromEntries(entries) };
}
