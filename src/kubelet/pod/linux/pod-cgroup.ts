import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";

/** How the cgroups of pods are named. */
export interface CgroupNaming {
  readonly driver: "cgroupfs" | "systemd";
  /** The parts of the name of the cgroup above all pods': `kubepods`, below what the node is configured with. */
  readonly root: readonly string[];
}

/** The path of the cgroup of a pod. */
export const podCgroupPath = (pod: Pod, naming: CgroupNaming): string =>
  podCgroupPathOf(qosClassOf(pod), pod.metadata.uid ?? "", naming);

/** The path of the cgroup that a pod of a class has. */
export const podCgroupPathOf = (qosClass: QosClass, podUid: string, naming: CgroupNaming): string =>
  pathOf([...qosCgroup(qosClass, naming), `${podPrefix}${podUid}`], naming);

/** The path of the cgroup of all pods of a class; guaranteed ones have none above them but the root. */
export const qosCgroupPath = (qosClass: QosClass, naming: CgroupNaming): string =>
  pathOf(qosCgroup(qosClass, naming), naming);

/** The pod that the folder of a cgroup belongs to; undefined if it is not a pod's. */
export function podUidOf(folder: string, { driver }: CgroupNaming): string | undefined {
  const name =
    driver === "systemd" ? /^.*-([^-]+)\.slice$/.exec(folder)?.[1]?.replaceAll("_", "-") : folder;
  return name?.startsWith(podPrefix) ? name.slice(podPrefix.length) || undefined : undefined;
}

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** All classes, that of the topmost cgroup first. */
export const qosClasses: readonly QosClass[] = ["Guaranteed", "Burstable", "BestEffort"];

/** The class of a pod. */
export const qosClassOf = (pod: Pod): QosClass => podQosClass(pod) as QosClass;

const podPrefix = "pod";

const qosCgroup = (qosClass: QosClass, { root }: CgroupNaming): readonly string[] =>
  qosClass === "Guaranteed" ? root : [...root, qosClass.toLowerCase()];

/** The slices of systemd lie in each other as their names say, so that a dash separates the parts. */
function pathOf(parts: readonly string[], { driver }: CgroupNaming): string {
  if (driver === "cgroupfs") return `/${parts.join("/")}`;
  const names = parts.map((part) => part.replaceAll("-", "_"));
  return names.map((_, at) => `/${names.slice(0, at + 1).join("-")}.slice`).join("") || "/";
}
