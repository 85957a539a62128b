import {
  bool,
  int64,
  list,
  listOf,
  message,
  named,
  string,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { int64Type, namedString } from "../../../../schema/language/type.ts";
import { AppArmorProfile, SELinuxOptions, SeccompProfile } from "./security-profile.ts";
import { WindowsSecurityContextOptions } from "./windows-options.ts";

export const Capabilities = struct("io.k8s.api.core.v1.Capabilities", {
  add: listOf(1, namedString("v1.Capability")).atomic().doc("Capabilities beside the usual ones."),
  drop: listOf(2, namedString("v1.Capability")).atomic().doc("Capabilities that are taken away."),
}).doc("What is added to and taken from the capabilities a container has by default.");
export interface Capabilities extends Infer<typeof Capabilities> {}

export const SecurityContext = struct("io.k8s.api.core.v1.SecurityContext", {
  capabilities: message(1, Capabilities).doc("POSIX capabilities that are added and dropped."),
  privileged: bool(2).pointer().doc("Whether the container may do what root of the node may."),
  seLinuxOptions: message(3, SELinuxOptions).doc("The SELinux label of its processes."),
  windowsOptions: message(10, WindowsSecurityContextOptions).doc("Settings for Windows."),
  runAsUser: int64(4).pointer().doc("The user ID of its first process."),
  runAsGroup: int64(8).pointer().doc("The group ID of its first process."),
  runAsNonRoot: bool(5).pointer().doc("Whether it is refused to start as root."),
  readOnlyRootFilesystem: bool(6).pointer().doc("Whether its root file system is read-only."),
  allowPrivilegeEscalation: bool(7)
    .pointer()
    .doc("Whether a process may gain more privileges than its parent."),
  procMount: named(9, "v1.ProcMountType")
    .pointer()
    .known("Default", "Unmasked")
    .doc("How /proc is mounted: with parts hidden, or as it is."),
  seccompProfile: message(11, SeccompProfile).doc("The system calls that may be made."),
  appArmorProfile: message(12, AppArmorProfile).doc("The AppArmor profile that applies."),
}).doc("Security settings of a container; they precede those of its pod.");
export interface SecurityContext extends Infer<typeof SecurityContext> {}

export const Sysctl = struct("io.k8s.api.core.v1.Sysctl", {
  name: string(1).always().expected().doc("Name of the kernel parameter."),
  value: string(2).always().expected().doc("Value of the kernel parameter."),
}).doc("A kernel parameter.");
export interface Sysctl extends Infer<typeof Sysctl> {}

export const PodSecurityContext = struct("io.k8s.api.core.v1.PodSecurityContext", {
  seLinuxOptions: message(1, SELinuxOptions).doc("The SELinux label of all containers."),
  windowsOptions: message(8, WindowsSecurityContextOptions).doc("Settings for Windows."),
  runAsUser: int64(2).pointer().doc("The user ID of each container's first process."),
  runAsGroup: int64(6).pointer().doc("The group ID of each container's first process."),
  runAsNonRoot: bool(3).pointer().doc("Whether containers are refused to start as root."),
  supplementalGroups: listOf(4, int64Type).atomic().doc("Further groups of each first process."),
  supplementalGroupsPolicy: named(12, "v1.SupplementalGroupsPolicy")
    .pointer()
    .known("Merge", "Strict")
    .doc("Whether the groups that the image gives the user count too."),
  fsGroup: int64(5).pointer().doc("A further group, which owns the files of volumes."),
  sysctls: list(7, Sysctl).atomic().doc("Kernel parameters of the pod's namespaces."),
  fsGroupChangePolicy: named(9, "v1.PodFSGroupChangePolicy")
    .pointer()
    .known("OnRootMismatch", "Always")
    .doc("Whether files of a volume whose root is right already are looked at."),
  seccompProfile: message(10, SeccompProfile).doc("The system calls containers may make."),
  appArmorProfile: message(11, AppArmorProfile).doc("The AppArmor profile of containers."),
  seLinuxChangePolicy: named(13, "v1.PodSELinuxChangePolicy")
    .pointer()
    .known("Recursive", "MountOption")
    .doc("How the files of volumes get their SELinux label."),
}).doc("Security settings of all containers of a pod, and of the pod itself.");
export interface PodSecurityContext extends Infer<typeof PodSecurityContext> {}
