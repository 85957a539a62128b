import type { InterfaceUsage } from "./stats-types.ts";

/** What the kernel counts of a network interface. */
export interface InterfaceCounters extends InterfaceUsage {
  readonly rxPackets: number;
  readonly rxDropped: number;
  readonly txPackets: number;
  readonly txDropped: number;
}

/** The interfaces in the text of a `/proc/PID/net/dev`, without the loopback; `eth0`, that of the pod, is first. */
export function parseInterfaceCounters(text: string): readonly InterfaceCounters[] {
  const found = text.split("\n").flatMap((line) => {
    const [, name, counters = ""] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || name === "lo") return [];
    const numbers = counters.split(/\s+/).map(Number);
    const [rxBytes = 0, rxPackets = 0, rxErrors = 0, rxDropped = 0, , , , , ...sent] = numbers;
    const [txBytes = 0, txPackets = 0, txErrors = 0, txDropped = 0] = sent;
    return {
      ...{ name, rxBytes, rxPackets, rxErrors, rxDropped },
      ...{ txBytes, txPackets, txErrors, txDropped },
    };
  });
  return found.sort((a, b) => Number(b.name === "eth0") - Number(a.name === "eth0"));
}

/** The usage of the same interfaces. */
export const parseInterfaces = (text: string): readonly InterfaceUsage[] =>
  parseInterfaceCounters(text).map(({ name, rxBytes, rxErrors, txBytes, txErrors }) => {
    return { name, rxBytes, rxErrors, txBytes, txErrors };
  });
