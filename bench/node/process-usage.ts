import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** The CPU time and the memory, shared pages divided among their users, of all processes that a test selects by pid. */
export function usageOf(isSelected: (pid: string) => boolean): ProcessUsage {
  let ticks = 0;
  let kilobytes = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (!isSelected(pid)) continue;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    ticks += Number(stat[11]) + Number(stat[12]);
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    kilobytes += Number(/^Pss: +(\d+)/m.exec(memory)?.[1] ?? 0);
  }
  return { cpuSeconds: ticks / 100, megabytes: kilobytes / 1024 };
}

/** The process namespace of a process, of which containers have their own; empty if it has ended. */
export function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return "";
  }
}
