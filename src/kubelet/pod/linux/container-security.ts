import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Image } from "../../../cri/image-service.ts";
import type { ContainerSecurityContext, NamespaceOptions } from "../../../cri/linux-types.ts";
import { isValidUserId } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { podText } from "../pod-text.ts";
import type { LinuxSettings, PodLookups } from "./linux-settings.ts";
import { podNamespaces } from "./pod-namespaces.ts";
import { groupsPolicyOf, selinuxOf } from "./pod-security.ts";
import { apparmorOf, seccompOf } from "./security-profiles.ts";

export interface SecuredContainer extends PodLookups {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly image: Image;
  /** The ID of the container whose processes it shall see. */
  readonly targetId?: string | undefined;
}

/** What a container may do: its own settings count more than its pod's. Throws if it would have to run as root. */
export function containerSecurity(
  secured: SecuredContainer,
  settings: Pick<LinuxSettings, "seccompDir" | "seccompDefault" | "maskedPaths">,
): ContainerSecurityContext {
  const { pod, container } = secured;
  const ofPod = pod.spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const { capabilities } = own;
  const isUnmasked = own.procMount === "Unmasked";
  return {
    ...userOf(secured),
    namespaces: namespacesOf(secured),
    privileged: own.privileged ?? false,
    capabilities: capabilities && { add: capabilities.add ?? [], drop: capabilities.drop ?? [] },
    readonlyRootfs: own.readOnlyRootFilesystem ?? false,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    selinux: selinuxOf(own) ?? selinuxOf(ofPod),
    seccomp: seccompOf(own.seccompProfile ?? ofPod.seccompProfile, settings),
    apparmor: apparmorOf(pod, container),
    // What is absent is the runtime's default.
    maskedPaths: isUnmasked ? [] : settings.maskedPaths,
    readonlyPaths: isUnmasked ? [] : undefined,
  };
}

function namespacesOf({ pod, targetId, ...lookups }: SecuredContainer): NamespaceOptions {
  const namespaces = podNamespaces(pod, lookups);
  if (targetId === undefined || namespaces.pid !== "container") return namespaces;
  return { ...namespaces, pid: "target", targetId };
}

/** The user and the groups of a container's processes. */
function userOf({ pod, container, image, volumeGroups = [] }: SecuredContainer) {
  const ofPod = pod.spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const user = imageUser(image);
  const runAsUser = own.runAsUser ?? ofPod.runAsUser;
  if (own.runAsNonRoot ?? ofPod.runAsNonRoot)
    verifyNonRoot(runAsUser, user, `(pod: ${quote(podText(pod))}, container: ${container.name})`);
  const fsGroup = ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup];
  return {
    runAsUser: runAsUser ?? user.uid,
    runAsUsername: runAsUser === undefined ? user.username : undefined,
    runAsGroup: own.runAsGroup ?? ofPod.runAsGroup,
    supplementalGroups: [...fsGroup, ...(ofPod.supplementalGroups ?? []), ...volumeGroups],
    supplementalGroupsPolicy: groupsPolicyOf(ofPod),
  };
}

interface ImageUser {
  readonly uid?: number | undefined;
  readonly username?: string | undefined;
}

/** The user of an image; one that says nothing runs as root. */
function imageUser({ uid, username }: Image): ImageUser {
  if (uid !== undefined) return { uid };
  return username ? { username } : { uid: 0 };
}

function verifyNonRoot(
  runAsUser: number | undefined,
  { uid, username }: ImageUser,
  where: string,
): void {
  if (runAsUser === 0) throw new Error(`container's runAsUser breaks non-root policy ${where}`);
  if (runAsUser !== undefined) return;
  if (uid === undefined)
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${username}), cannot verify user is non-root ${where}`,
    );
  if (uid === 0) throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  const problems = isValidUserId(uid);
  if (problems.length > 0)
    throw new Error(
      `container has runAsNonRoot and image has an invalid user id (${uid}). (Must be 1-(2147483647)): ${problems.join("; ")} ${where}`,
    );
}
