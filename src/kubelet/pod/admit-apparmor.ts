import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Rejection } from "./admit-pod.ts";
import { apparmorOf } from "./linux/security-profiles.ts";

/** Rejects a pod with AppArmor profiles that a node cannot enforce; undefined if the pod is accepted. */
export function admitAppArmor(pod: Pod, isEnabled: boolean): Rejection | undefined {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec;
  const profiles = [...initContainers, ...containers, ...ephemeralContainers].map((container) =>
    apparmorOf(pod, container),
  );
  const isRequired = profiles.some((profile) => profile && profile.type !== "unconfined");
  if (!isRequired || isEnabled) return undefined;
  return {
    reason: "AppArmor",
    message: "Cannot enforce AppArmor: AppArmor is not enabled on the host",
  };
}
