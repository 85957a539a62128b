import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { RuntimeStatus } from "../runtime-status.ts";
import type { StatusResponse } from "./messages/runtime-messages.ts";

/** The status of a runtime, as a message. */
export const runtimeStatusToWire = ({
  conditions,
  handlers,
  features,
  info,
}: RuntimeStatus): Sent<MessageOf<typeof StatusResponse>> => ({
  status: {
    conditions: conditions.map(({ type, isTrue, reason, message }) => ({
      type,
      status: isTrue,
      reason,
      message,
    })),
  },
  info,
  runtime_handlers: handlers.map(({ name, recursiveReadOnlyMounts, userNamespaces }) => ({
    name,
    features: {
      recursive_read_only_mounts: recursiveReadOnlyMounts,
      user_namespaces: userNamespaces,
    },
  })),
  features: {
    supplemental_groups_policy: features.supplementalGroupsPolicy,
    user_namespaces_host_network: features.userNamespacesHostNetwork,
  },
});

/** The status of a runtime, from a message. */
export const runtimeStatusFromWire = (wire: MessageOf<typeof StatusResponse>): RuntimeStatus => ({
  conditions: (wire.status?.conditions ?? []).map(({ type, status, reason, message }) => ({
    type,
    isTrue: status,
    reason,
    message,
  })),
  handlers: wire.runtime_handlers.map(({ name, features }) => ({
    name,
    recursiveReadOnlyMounts: features?.recursive_read_only_mounts ?? false,
    userNamespaces: features?.user_namespaces ?? false,
  })),
  features: {
    supplementalGroupsPolicy: wire.features?.supplemental_groups_policy ?? false,
    userNamespacesHostNetwork: wire.features?.user_namespaces_host_network ?? false,
  },
  ...infoFromWire(wire),
});

/** Information for people, where a message has it. */
export const infoFromWire = ({ info }: { readonly info: Readonly<Record<string, string>> }) =>
  Object.keys(info).length > 0 ? { info } : {};
