import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { InterfaceUsage, PodSandboxStats } from "../stats-types.ts";
import { containerStatsFromWire, containerStatsToWire } from "./container-stats.ts";
import type {
  NetworkInterfaceUsage,
  PodSandboxStats as WireStats,
} from "./messages/stats-messages.ts";
import { pressureFromWire, pressureToWire, usageFromWire, usageToWire } from "./resource-usage.ts";
import { toNanos } from "./times.ts";
import { unwrapped, wrapped } from "./wrapped-numbers.ts";

/** The usage of a pod, as a message. */
export function sandboxStatsToWire(stats: PodSandboxStats): Sent<MessageOf<typeof WireStats>> {
  const { id, metadata, labels, annotations, network, processCount, pressure } = stats;
  const timestamp = toNanos(stats.at);
  const [first, ...others] = network;
  return {
    attributes: { id, metadata, labels, annotations },
    linux: {
      ...usageToWire(stats),
      network: first && {
        timestamp,
        default_interface: interfaceToWire(first),
        interfaces: others.map(interfaceToWire),
      },
      process:
        processCount === undefined
          ? undefined
          : { timestamp, process_count: wrapped(processCount) },
      containers: stats.containers.map(containerStatsToWire),
      io: pressure?.io && { timestamp, psi: pressureToWire(pressure.io) },
    },
  };
}

/** The usage of a pod, from a message. */
export function sandboxStatsFromWire({
  attributes,
  linux,
}: MessageOf<typeof WireStats>): PodSandboxStats {
  const { network, containers = [], io } = linux ?? {};
  const processCount = unwrapped(linux?.process?.process_count);
  const interfaces = [network?.default_interface ?? [], network?.interfaces ?? []].flat();
  const usage = { cpu: linux?.cpu, memory: linux?.memory, io: pressureFromWire(io?.psi) };
  return {
    id: attributes?.id ?? "",
    metadata: attributes?.metadata ?? { name: "", namespace: "", uid: "", attempt: 0 },
    labels: attributes?.labels ?? {},
    annotations: attributes?.annotations ?? {},
    ...usageFromWire(usage),
    network: interfaces.map(interfaceFromWire),
    ...(processCount !== undefined && { processCount }),
    containers: containers.map(containerStatsFromWire),
  };
}

const interfaceToWire = (usage: InterfaceUsage) => ({
  name: usage.name,
  rx_bytes: wrapped(usage.rxBytes),
  rx_errors: wrapped(usage.rxErrors),
  tx_bytes: wrapped(usage.txBytes),
  tx_errors: wrapped(usage.txErrors),
});

const interfaceFromWire = (wire: MessageOf<typeof NetworkInterfaceUsage>): InterfaceUsage => ({
  name: wire.name,
  rxBytes: unwrapped(wire.rx_bytes) ?? 0,
  rxErrors: unwrapped(wire.rx_errors) ?? 0,
  txBytes: unwrapped(wire.tx_bytes) ?? 0,
  txErrors: unwrapped(wire.tx_errors) ?? 0,
});
