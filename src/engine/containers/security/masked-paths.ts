import { existsSync, readFileSync } from "node:fs";

/** The paths of a container that the kernel protects too little for it to change them. */
export const defaultReadonlyPaths: readonly string[] = [
  "/proc/bus",
  "/proc/fs",
  "/proc/irq",
  "/proc/sys",
  "/proc/sysrq-trigger",
];

const masked: readonly string[] = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];

/** The paths that tell a container of the node, or of others on it; those of its processors vary by node. */
export function defaultMaskedPaths(): readonly string[] {
  return [...masked, ...thermalPaths()];
}

/** The numbers in a list of processors, such as `0-2,5`. */
export function parseProcessors(text: string): readonly number[] {
  return text
    .trim()
    .split(",")
    .flatMap((range) => {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      if (first === undefined) return [];
      const length = Math.max(0, Number(last) - Number(first) + 1);
      return Array.from({ length }, (_, index) => Number(first) + index);
    });
}

function thermalPaths(): readonly string[] {
  const possible = "/sys/devices/system/cpu/possible";
  if (!existsSync(possible)) return [];
  return parseProcessors(readFileSync(possible, "utf8"))
    .map((number) => `/sys/devices/system/cpu/cpu${number}/thermal_throttle`)
    .filter((path) => existsSync(path));
}
