import type { Draft } from "../../../../schema/language/struct.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import type { AppArmorProfile } from "../container/security-profile.ts";

/** Annotations of pods that have a meaning to the server. */
export const mirrorPodAnnotation = "kubernetes.io/config.mirror";
export const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
export const tolerationsAnnotation = "scheduler.alpha.kubernetes.io/tolerations";
export const seccompPodAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
export const seccompContainerPrefix = "container.seccomp.security.alpha.kubernetes.io/";
export const appArmorContainerPrefix = "container.apparmor.security.beta.kubernetes.io/";

const formerInitContainerAnnotations = [
  "pod.beta.kubernetes.io/init-containers",
  "pod.alpha.kubernetes.io/init-containers",
  "pod.beta.kubernetes.io/init-container-statuses",
  "pod.alpha.kubernetes.io/init-container-statuses",
];

/** Annotations in which init containers once stood are never kept. */
export function dropInitContainerAnnotations(meta: Draft<ObjectMeta>): void {
  const { annotations } = meta;
  if (!annotations) return;
  for (const key of formerInitContainerAnnotations) delete annotations[key];
  if (Object.keys(annotations).length === 0) meta.annotations = undefined;
}

/** The AppArmor profile that an annotation names; nothing where it names none. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const localhost = "localhost/";
  if (annotation.startsWith(localhost) && annotation.length > localhost.length)
    return { type: "Localhost", localhostProfile: annotation.slice(localhost.length) };
  return undefined;
}
