import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { ContainerStats, FilesystemUsage } from "../stats-types.ts";
import type {
  FilesystemUsage as WireFilesystem,
  ContainerStats as WireStats,
} from "./messages/stats-messages.ts";
import { pressureFromWire, pressureToWire, usageFromWire, usageToWire } from "./resource-usage.ts";
import { fromNanos, toNanos } from "./times.ts";
import { unwrapped, wrapped } from "./wrapped-numbers.ts";

/** The usage of a container, as a message. */
export function containerStatsToWire(stats: ContainerStats): Sent<MessageOf<typeof WireStats>> {
  const { id, metadata, labels, annotations, writableLayer, swapUsedBytes, pressure } = stats;
  const timestamp = toNanos(stats.at);
  return {
    attributes: { id, metadata, labels, annotations },
    ...usageToWire(stats),
    writable_layer: writableLayer && filesystemToWire(writableLayer),
    ...(swapUsedBytes !== undefined && {
      swap: {
        timestamp,
        swap_usage_bytes: wrapped(swapUsedBytes),
        swap_available_bytes: wrapped(stats.swapAvailableBytes),
      },
    }),
    ...(pressure?.io && { io: { timestamp, psi: pressureToWire(pressure.io) } }),
  };
}

/** The usage of a container, from a message. */
export function containerStatsFromWire(wire: MessageOf<typeof WireStats>): ContainerStats {
  const { attributes, writable_layer, swap, io } = wire;
  const swapUsedBytes = unwrapped(swap?.swap_usage_bytes);
  const swapAvailableBytes = unwrapped(swap?.swap_available_bytes);
  return {
    id: attributes?.id ?? "",
    metadata: attributes?.metadata ?? { name: "", attempt: 0 },
    labels: attributes?.labels ?? {},
    annotations: attributes?.annotations ?? {},
    ...usageFromWire({ ...wire, io: pressureFromWire(io?.psi) }),
    ...(swapUsedBytes !== undefined && { swapUsedBytes }),
    ...(swapAvailableBytes !== undefined && { swapAvailableBytes }),
    ...(writable_layer && { writableLayer: filesystemFromWire(writable_layer) }),
  };
}

/** The usage of a file system, as a message. */
export const filesystemToWire = (
  usage: FilesystemUsage,
): Sent<MessageOf<typeof WireFilesystem>> => ({
  timestamp: toNanos(usage.at),
  fs_id: { mountpoint: usage.mountpoint },
  used_bytes: wrapped(usage.usedBytes),
  inodes_used: wrapped(usage.inodesUsed),
});

/** The usage of a file system, from a message. */
export const filesystemFromWire = (wire: MessageOf<typeof WireFilesystem>): FilesystemUsage => ({
  at: fromNanos(wire.timestamp),
  mountpoint: wire.fs_id?.mountpoint ?? "",
  usedBytes: unwrapped(wire.used_bytes) ?? 0,
  inodesUsed: unwrapped(wire.inodes_used) ?? 0,
});
