import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { Pressure, PressureTimes, ResourceUsage } from "../stats-types.ts";
import type { CpuUsage, MemoryUsage, PsiData, PsiStats } from "./messages/stats-messages.ts";
import { fromNanos, toNanos } from "./times.ts";
import { safeNumber, unwrapped, wrapped } from "./wrapped-numbers.ts";

interface WireUsage {
  readonly cpu: MessageOf<typeof CpuUsage> | undefined;
  readonly memory: MessageOf<typeof MemoryUsage> | undefined;
  readonly io: Pressure | undefined;
}

/** The usage of CPU and memory, as members of a message. */
export function usageToWire(usage: ResourceUsage): {
  readonly cpu: Sent<MessageOf<typeof CpuUsage>>;
  readonly memory: Sent<MessageOf<typeof MemoryUsage>>;
} {
  const timestamp = toNanos(usage.at);
  const { pressure } = usage;
  return {
    cpu: {
      timestamp,
      usage_core_nano_seconds: wrapped(usage.cpuCoreNanoSeconds),
      usage_nano_cores: wrapped(usage.cpuNanoCores),
      psi: pressure?.cpu && pressureToWire(pressure.cpu),
    },
    memory: {
      timestamp,
      working_set_bytes: wrapped(usage.memoryWorkingSetBytes),
      available_bytes: wrapped(usage.memoryAvailableBytes),
      usage_bytes: wrapped(usage.memoryUsageBytes),
      rss_bytes: wrapped(usage.memoryRssBytes),
      page_faults: wrapped(usage.pageFaults),
      major_page_faults: wrapped(usage.majorPageFaults),
      psi: pressure?.memory && pressureToWire(pressure.memory),
    },
  };
}

/** The usage of CPU and memory, from members of a message. */
export function usageFromWire({ cpu, memory, io }: WireUsage): ResourceUsage {
  const [cpuPressure, memoryPressure] = [cpu?.psi, memory?.psi].map(pressureFromWire);
  const available = unwrapped(memory?.available_bytes);
  const pageFaults = unwrapped(memory?.page_faults);
  const majorPageFaults = unwrapped(memory?.major_page_faults);
  return {
    at: fromNanos(cpu?.timestamp || memory?.timestamp || 0n),
    cpuNanoCores: unwrapped(cpu?.usage_nano_cores) ?? 0,
    cpuCoreNanoSeconds: cpu?.usage_core_nano_seconds?.value ?? 0n,
    memoryWorkingSetBytes: unwrapped(memory?.working_set_bytes) ?? 0,
    memoryUsageBytes: unwrapped(memory?.usage_bytes) ?? 0,
    memoryRssBytes: unwrapped(memory?.rss_bytes) ?? 0,
    ...(available !== undefined && { memoryAvailableBytes: available }),
    ...(pageFaults !== undefined && { pageFaults }),
    ...(majorPageFaults !== undefined && { majorPageFaults }),
    ...((cpuPressure || memoryPressure || io) && {
      pressure: {
        ...(cpuPressure && { cpu: cpuPressure }),
        ...(memoryPressure && { memory: memoryPressure }),
        ...(io && { io }),
      },
    }),
  };
}

/** How long tasks waited, as a message. */
export const pressureToWire = ({ some, full }: Pressure): Sent<MessageOf<typeof PsiStats>> => ({
  Some: timesToWire(some),
  Full: timesToWire(full),
});

/** How long tasks waited, from a message. */
export const pressureFromWire = (
  wire: MessageOf<typeof PsiStats> | undefined,
): Pressure | undefined =>
  wire && { some: timesFromWire(wire.Some), full: timesFromWire(wire.Full) };

const timesToWire = ({ total, avg10, avg60, avg300 }: PressureTimes) => ({
  Total: BigInt(total),
  Avg10: avg10,
  Avg60: avg60,
  Avg300: avg300,
});

const timesFromWire = (wire: MessageOf<typeof PsiData> | undefined): PressureTimes => ({
  total: safeNumber(wire?.Total ?? 0n) ?? 0,
  avg10: wire?.Avg10 ?? 0,
  avg60: wire?.Avg60 ?? 0,
  avg300: wire?.Avg300 ?? 0,
});
