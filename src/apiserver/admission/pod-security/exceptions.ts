import type { CheckPod } from "./check.ts";

/** In a user namespace, root is not the node's root. */
export const exceptInUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);

/** What Windows does not have is not asked of its pods. */
export const exceptOnWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);
