import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import {
  appArmorContainerPrefix,
  appArmorProfileOf,
} from "../../../api/core/v1/pod/pod-annotations.ts";
import type { SecurityProfile } from "../../../cri/linux-types.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { LinuxSettings } from "./linux-settings.ts";

type SeccompProfile = NonNullable<Pod["spec"]["securityContext"]>["seccompProfile"];

/** The seccomp profile of a container, whose own or whose pod's is given. */
export function seccompOf(
  profile: SeccompProfile,
  { seccompDir, seccompDefault }: Pick<LinuxSettings, "seccompDir" | "seccompDefault">,
): SecurityProfile {
  if (!profile) return { type: seccompDefault ? "runtimeDefault" : "unconfined" };
  if (profile.type === "RuntimeDefault") return { type: "runtimeDefault" };
  if (profile.type !== "Localhost") return { type: "unconfined" };
  if (!profile.localhostProfile)
    throw new Error("localhostProfile must be set if seccompProfile type is Localhost.");
  return { type: "localhost", ref: `${seccompDir}/${profile.localhostProfile}` };
}

/** The AppArmor profile of a container; annotations of static pods have not become fields. */
export function apparmorOf(
  { metadata, spec }: Pod,
  { name, securityContext }: Container | EphemeralContainer,
): SecurityProfile | undefined {
  const annotation = metadata.annotations?.[`${appArmorContainerPrefix}${name}`];
  const profile =
    securityContext?.appArmorProfile ??
    (annotation === undefined ? undefined : appArmorProfileOf(annotation)) ??
    spec.securityContext?.appArmorProfile;
  if (!profile) return undefined;
  const { type, localhostProfile } = profile;
  if (type === "RuntimeDefault") return { type: "runtimeDefault" };
  if (type === "Unconfined") return { type: "unconfined" };
  if (type !== "Localhost") throw new Error(`unknown apparmor profile type: ${quote(type)}`);
  if (localhostProfile === undefined) throw new Error("missing localhost apparmor profile name");
  return { type: "localhost", ref: localhostProfile };
}
