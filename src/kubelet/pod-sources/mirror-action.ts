import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../api/core/v1/pod/pod-annotations.ts";
import { hashAnnotation } from "../pod/static-pod.ts";

/** The static pod that a mirror pod must show; "any" as long as nothing is to change, undefined if none may exist. */
export type MirroredPod = Pod | "any" | undefined;

export type MirrorAction = "none" | "create" | "delete" | "replace";

/** Decides what to do about the mirror pod of a name. One that was deleted by others is replaced at once. */
export function mirrorAction(mirrored: MirroredPod, mirror: Pod | undefined): MirrorAction {
  if (mirrored === "any") return "none";
  if (!mirrored) return mirror ? "delete" : "none";
  if (!mirror) return "create";
  return mirror.metadata.deletionTimestamp || !isMirrorOf(mirror, mirrored) ? "replace" : "none";
}

/** Whether a mirror pod shows this static pod, and not an earlier one of the same name. */
export const isMirrorOf = (mirror: Pod, { metadata }: Pod): boolean =>
  mirror.metadata.annotations?.[mirrorPodAnnotation] === metadata.annotations?.[hashAnnotation];
