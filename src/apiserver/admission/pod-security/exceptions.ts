import type { CheckPod } from "./check.ts";

/** In a user namespace, root is not the node's root. */
export const exceptInUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);

/** Pods on Windows need no settings that Windows does not have. */
export const exceptOnWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);
