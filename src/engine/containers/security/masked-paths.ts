import { existsSync, readFileSync } from "node:fs";
import { defaultMaskedPaths } from "../../../cri/hidden-paths.ts";

/** The paths that are hidden by default on this node: those of its processors, too. */
export function nodeMaskedPaths(): readonly string[] {
  return [...defaultMaskedPaths, ...thermalPaths()];
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
