import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import { defaultMaskedPaths, defaultReadonlyPaths } from "../hidden-paths.ts";
import type {
  ContainerSecurityContext,
  IdRange,
  NamespaceOptions,
  SecurityContext,
  SecurityProfile,
} from "../linux-types.ts";
import type { LinuxContainerSecurityContext } from "./messages/container-messages.ts";
import type {
  IDMapping,
  NamespaceOption,
  SecurityProfile as WireProfile,
} from "./messages/linux-messages.ts";
import type { LinuxSandboxSecurityContext } from "./messages/sandbox-config-messages.ts";

type WireSandbox = MessageOf<typeof LinuxSandboxSecurityContext>;
type WireContainer = MessageOf<typeof LinuxContainerSecurityContext>;

/** The security context of a sandbox, as a message. */
export const sandboxSecurityToWire = (security: SecurityContext): Sent<WireSandbox> => ({
  namespace_options: security.namespaces && namespacesToWire(security.namespaces),
  selinux_options: security.selinux,
  run_as_user: value(security.runAsUser),
  run_as_group: value(security.runAsGroup),
  readonly_rootfs: security.readonlyRootfs,
  supplemental_groups: security.supplementalGroups,
  supplemental_groups_policy: security.supplementalGroupsPolicy,
  privileged: security.privileged,
  seccomp: security.seccomp && profileToWire(security.seccomp),
  apparmor: security.apparmor && profileToWire(security.apparmor),
});

/** The security context of a container, as a message. */
export const containerSecurityToWire = (
  security: ContainerSecurityContext,
): Sent<WireContainer> => ({
  ...sandboxSecurityToWire(security),
  capabilities: security.capabilities && {
    add_capabilities: security.capabilities.add,
    drop_capabilities: security.capabilities.drop,
    add_ambient_capabilities: security.capabilities.addAmbient,
  },
  run_as_username: security.runAsUsername,
  no_new_privs: security.noNewPrivileges,
  // As a kubelet sends them, unless the pod says otherwise.
  masked_paths: security.maskedPaths ?? (security.privileged ? [] : defaultMaskedPaths),
  readonly_paths: security.readonlyPaths ?? (security.privileged ? [] : defaultReadonlyPaths),
});

/** The security context of a sandbox, or what it has in common with that of a container, from a message. */
export function sandboxSecurityFromWire(
  wire: Omit<WireSandbox, "seccomp_profile_path">,
): SecurityContext {
  const { namespace_options, selinux_options: selinux, run_as_user, run_as_group } = wire;
  const { seccomp, apparmor } = wire;
  return {
    ...(namespace_options && { namespaces: namespacesFromWire(namespace_options) }),
    privileged: wire.privileged,
    ...(run_as_user && { runAsUser: run_as_user.value }),
    ...(run_as_group && { runAsGroup: run_as_group.value }),
    readonlyRootfs: wire.readonly_rootfs,
    supplementalGroups: wire.supplemental_groups,
    supplementalGroupsPolicy: wire.supplemental_groups_policy,
    ...(selinux && { selinux }),
    ...(seccomp && { seccomp: profileFromWire(seccomp) }),
    ...(apparmor && { apparmor: profileFromWire(apparmor) }),
  };
}

/** The security context of a container, from a message. */
export function containerSecurityFromWire(wire: WireContainer): ContainerSecurityContext {
  const { capabilities, run_as_username: runAsUsername } = wire;
  return {
    ...sandboxSecurityFromWire(wire),
    ...(capabilities && {
      capabilities: {
        add: capabilities.add_capabilities,
        drop: capabilities.drop_capabilities,
        addAmbient: capabilities.add_ambient_capabilities,
      },
    }),
    ...(runAsUsername !== "" && { runAsUsername }),
    noNewPrivileges: wire.no_new_privs,
    maskedPaths: wire.masked_paths,
    readonlyPaths: wire.readonly_paths,
  };
}

/** The namespaces of a sandbox or a container, as a message. */
export const namespacesToWire = (
  namespaces: NamespaceOptions,
): Sent<MessageOf<typeof NamespaceOption>> => ({
  network: namespaces.network,
  pid: namespaces.pid,
  ipc: namespaces.ipc,
  target_id: namespaces.targetId,
  userns_options: namespaces.user && {
    mode: namespaces.user.mode,
    uids: namespaces.user.uids.map(idRangeToWire),
    gids: namespaces.user.gids.map(idRangeToWire),
  },
});

/** The namespaces of a sandbox or a container, from a message. */
export function namespacesFromWire(wire: MessageOf<typeof NamespaceOption>): NamespaceOptions {
  const { target_id: targetId, userns_options: user } = wire;
  return {
    network: podOrNode(wire.network),
    pid: wire.pid,
    ipc: podOrNode(wire.ipc),
    ...(targetId !== "" && { targetId }),
    ...(user && {
      user: {
        mode: podOrNode(user.mode),
        uids: user.uids.map(idRangeFromWire),
        gids: user.gids.map(idRangeFromWire),
      },
    }),
  };
}

/** A range of mapped user or group IDs, as a message. */
export const idRangeToWire = ({ containerId, hostId, length }: IdRange) => ({
  container_id: containerId,
  host_id: hostId,
  length,
});

/** A range of mapped user or group IDs, from a message. */
export const idRangeFromWire = (wire: MessageOf<typeof IDMapping>): IdRange => ({
  containerId: wire.container_id,
  hostId: wire.host_id,
  length: wire.length,
});

const podOrNode = (mode: string): "pod" | "node" => (mode === "node" ? "node" : "pod");

const value = (number: number | undefined) =>
  number === undefined ? undefined : { value: number };

const profileToWire = (profile: SecurityProfile): Sent<MessageOf<typeof WireProfile>> => ({
  profile_type: profile.type,
  ...(profile.type === "localhost" && { localhost_ref: profile.ref }),
});

const profileFromWire = ({
  profile_type: type,
  localhost_ref: ref,
}: MessageOf<typeof WireProfile>): SecurityProfile =>
  type === "localhost" ? { type, ref } : { type };
