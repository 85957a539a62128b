import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";
import type { SecurityContext, SelinuxOptions } from "../../../cri/linux-types.ts";
import type { PodLookups } from "./linux-settings.ts";
import { podNamespaces } from "./pod-namespaces.ts";

type PodSecurityContext = NonNullable<Pod["spec"]["securityContext"]>;

/** What the sandbox of a pod may do. */
export function sandboxSecurity(pod: Pod, lookups: PodLookups): SecurityContext {
  const { securityContext: own = {} } = pod.spec;
  return {
    namespaces: podNamespaces(pod, lookups),
    privileged: allContainers(pod.spec).some(({ securityContext }) => securityContext?.privileged),
    runAsUser: own.runAsUser,
    runAsGroup: own.runAsGroup,
    supplementalGroups: [
      ...(own.fsGroup === undefined ? [] : [own.fsGroup]),
      ...(lookups.volumeGroups ?? []),
      ...(own.supplementalGroups ?? []),
    ],
    supplementalGroupsPolicy: groupsPolicyOf(own),
    selinux: selinuxOf(own),
    // The profile of the pod is for its containers: the sandbox itself must always be able to start.
    seccomp: { type: "runtimeDefault" },
  };
}

/** Whether groups of the image count. Throws for a policy that no runtime knows. */
export function groupsPolicyOf({
  supplementalGroupsPolicy: policy,
}: PodSecurityContext): "merge" | "strict" | undefined {
  if (policy === undefined) return undefined;
  if (policy === "Merge") return "merge";
  if (policy === "Strict") return "strict";
  throw new Error(`unsupported supplementalGroupsPolicy: ${policy}`);
}

/** The SELinux label of a pod or a container, if it has one. */
export function selinuxOf({
  seLinuxOptions,
}: Pick<PodSecurityContext, "seLinuxOptions">): SelinuxOptions | undefined {
  if (!seLinuxOptions) return undefined;
  const { user = "", role = "", type = "", level = "" } = seLinuxOptions;
  return { user, role, type, level };
}
