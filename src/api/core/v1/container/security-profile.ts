import { named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { validateLocalPath } from "../volume/local-path.ts";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

export const SeccompProfile = struct("io.k8s.api.core.v1.SeccompProfile", {
  type: named(1, "v1.SeccompProfileType")
    .always()
    .expected()
    .known("Unconfined", "RuntimeDefault", "Localhost")
    .doc("Which profile is meant: none, the runtime's own, or a file of the node."),
  localhostProfile: string(2)
    .pointer()
    .doc("Path of the file on the node, below the kubelet's folder of profiles."),
}).doc("The system calls that may be made.");
export interface SeccompProfile extends Infer<typeof SeccompProfile> {}

export const AppArmorProfile = struct("io.k8s.api.core.v1.AppArmorProfile", {
  type: named(1, "v1.AppArmorProfileType")
    .always()
    .expected()
    .known("Unconfined", "RuntimeDefault", "Localhost")
    .doc("Which profile is meant: none, the runtime's own, or one loaded on the node."),
  localhostProfile: string(2).pointer().doc("Name of the profile that is loaded on the node."),
}).doc("The AppArmor profile that confines processes.");
export interface AppArmorProfile extends Infer<typeof AppArmorProfile> {}

export const SELinuxOptions = struct("io.k8s.api.core.v1.SELinuxOptions", {
  user: string(1).doc("The user of the label."),
  role: string(2).doc("The role of the label."),
  type: string(3).doc("The type of the label."),
  level: string(4).doc("The level of the label."),
}).doc("The SELinux label of processes.");
export interface SELinuxOptions extends Infer<typeof SELinuxOptions> {}

/** The rules of a seccomp profile. */
export function validateSeccompProfile(profile: SeccompProfile, at: At): void {
  const { type, localhostProfile } = profile;
  if (!type) at.required("type", "type is required when seccompProfile is set");
  else if (!profileTypes.includes(type)) at.notSupported("type", type, profileTypes);

  if (type !== "Localhost") {
    if (localhostProfile !== undefined)
      at.invalid(
        "localhostProfile",
        { Type: type, LocalhostProfile: localhostProfile },
        "can only be set when seccomp type is Localhost",
      );
  } else if (localhostProfile === undefined)
    at.required("localhostProfile", "must be set when seccomp type is Localhost");
  else validateLocalPath(localhostProfile, at.child("localhostProfile"));
}

/** The rules of an AppArmor profile. */
export function validateAppArmorProfile(profile: AppArmorProfile, at: At): void {
  const { type, localhostProfile } = profile;
  if (!type) at.required("type", "type is required when appArmorProfile is set");
  else if (type === "Localhost") validateLoadedProfile(localhostProfile, at);
  else if (!profileTypes.includes(type)) at.notSupported("type", type, profileTypes);
  else if (localhostProfile !== undefined)
    at.invalid(
      "localhostProfile",
      localhostProfile,
      "can only be set when AppArmor type is Localhost",
    );
}

/** What a path on Linux may take, without the byte that ends it. */
const maxProfileLength = 4095;
const encoder = new TextEncoder();

function validateLoadedProfile(name: string | undefined, at: At): void {
  const missing = "must be set when AppArmor type is Localhost";
  if (name === undefined) {
    at.required("localhostProfile", missing);
    return;
  }
  if (name !== name.trim())
    at.invalid("localhostProfile", name, "must not be padded with whitespace");
  else if (name === "") at.required("localhostProfile", missing);
  if (encoder.encode(name).length > maxProfileLength)
    at.tooLong("localhostProfile", maxProfileLength);
}
