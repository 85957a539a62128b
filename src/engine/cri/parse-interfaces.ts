import type { InterfaceUsage } from "../../cri/stats-types.ts";

/** The interfaces in the text of a `/proc/PID/net/dev`, without the loopback; `eth0`, that of the pod, is first. */
export function parseInterfaces(text: string): readonly InterfaceUsage[] {
  const found = text.split("\n").flatMap((line) => {
    const [, name, counters = ""] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || name === "lo") return [];
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = counters
      .split(/\s+/)
      .map(Number);
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }];
  });
  return found.sort((a, b) => Number(b.name === "eth0") - Number(a.name === "eth0"));
}
