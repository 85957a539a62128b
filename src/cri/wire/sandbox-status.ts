import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { PodSandboxStatus } from "../runtime-types.ts";
import type { PodSandbox, PodSandboxStatus as WireStatus } from "./messages/sandbox-messages.ts";
import { namespacesFromWire, namespacesToWire } from "./security-context.ts";
import { fromNanos, toNanos } from "./times.ts";

/** The status of a sandbox, as a message. */
export function sandboxStatusToWire(status: PodSandboxStatus): Sent<MessageOf<typeof WireStatus>> {
  const { hostNetwork, namespaces, ips } = status;
  const [ip = "", ...others] = ips;
  return {
    ...sandboxToWire(status),
    network: { ip, additional_ips: others.map((other) => ({ ip: other })) },
    linux: {
      namespaces: {
        options: namespacesToWire(
          namespaces ?? { network: hostNetwork ? "node" : "pod", pid: "container", ipc: "pod" },
        ),
      },
    },
  };
}

/** A sandbox in a list, as a message. */
export const sandboxToWire = (status: PodSandboxStatus): Sent<MessageOf<typeof PodSandbox>> => ({
  id: status.id,
  metadata: status.metadata,
  state: status.state,
  created_at: toNanos(status.createdAt),
  labels: status.labels,
  annotations: status.annotations,
  runtime_handler: status.runtimeHandler,
});

/** The status of a sandbox, from a message. */
export function sandboxStatusFromWire(wire: MessageOf<typeof WireStatus>): PodSandboxStatus {
  const { network, linux, runtime_handler: runtimeHandler } = wire;
  const addresses = [network?.ip ?? "", ...(network?.additional_ips ?? []).map(({ ip }) => ip)];
  const options = linux?.namespaces?.options;
  return {
    id: wire.id,
    metadata: wire.metadata ?? { name: "", namespace: "", uid: "", attempt: 0 },
    state: wire.state,
    createdAt: fromNanos(wire.created_at),
    ips: addresses.filter((ip) => ip !== ""),
    hostNetwork: options?.network === "node",
    labels: wire.labels,
    annotations: wire.annotations,
    ...(options && { namespaces: namespacesFromWire(options) }),
    ...(runtimeHandler !== "" && { runtimeHandler }),
  };
}
