import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** `NAMESPACE/NAME` of the group of a pod; undefined if it has none. */
export function groupKeyOf({ metadata, spec }: Pod): string | undefined {
  const name = spec.schedulingGroup?.podGroupName;
  return name ? `${metadata.namespace}/${name}` : undefined;
}

/** Whether two pods are of one group. */
export function isSameGroup(a: Pod, b: Pod): boolean {
  const key = groupKeyOf(a);
  return key !== undefined && key === groupKeyOf(b);
}

/** What the scheduler knows of the pods of a group. */
export interface PodGroupState {
  readonly podCount: number;
  /** How many have a node, or are assumed on one. */
  readonly scheduledCount: number;
  /** The pods without a node. */
  unscheduled(): readonly Pod[];
  /** The uids of pods that are assumed on a node. */
  assumed(): readonly string[];
}

type Progress = "unscheduled" | "assumed" | "assigned";

interface Member {
  readonly pod: Pod;
  readonly progress: Progress;
}

/** The pods of each group, pending ones included. */
export class PodGroupStates {
  readonly #groups = new Map<string, Map<string, Member>>();

  get(key: string): PodGroupState | undefined {
    const members = this.#groups.get(key);
    return members && stateOf(members);
  }

  /** Adds a pod, or replaces it by a newer version; one that is assumed stays so until it has its node. */
  set(pod: Pod): void {
    const key = groupKeyOf(pod);
    if (key === undefined) return;
    const before = this.#groups.get(key)?.get(uidOf(pod));
    const progress = pod.spec.nodeName ? "assigned" : (before?.progress ?? "unscheduled");
    const members = this.#groups.get(key) ?? new Map<string, Member>();
    members.set(uidOf(pod), { pod, progress });
    this.#groups.set(key, members);
  }

  remove(pod: Pod): void {
    const key = groupKeyOf(pod);
    const members = key === undefined ? undefined : this.#groups.get(key);
    if (!members || key === undefined) return;
    members.delete(uidOf(pod));
    if (members.size === 0) this.#groups.delete(key);
  }

  /** A pod is assumed on a node. One that is gone meanwhile is not added again. */
  assume(pod: Pod): void {
    this.#become(pod, "assumed");
  }

  /** A pod is no longer assumed. */
  forget(pod: Pod): void {
    this.#become(pod, "unscheduled");
  }

  #become(pod: Pod, progress: Progress): void {
    const members = this.#groups.get(groupKeyOf(pod) ?? "");
    const member = members?.get(uidOf(pod));
    if (!members || !member || member.progress === "assigned") return;
    members.set(uidOf(pod), { pod: member.pod, progress });
  }
}

function stateOf(members: ReadonlyMap<string, Member>): PodGroupState {
  const all = [...members.values()];
  const having = (progress: Progress) => all.filter((member) => member.progress === progress);
  return {
    podCount: members.size,
    scheduledCount: all.filter(({ progress }) => progress !== "unscheduled").length,
    unscheduled: () => having("unscheduled").map(({ pod }) => pod),
    assumed: () => having("assumed").map(({ pod }) => uidOf(pod)),
  };
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? "";
