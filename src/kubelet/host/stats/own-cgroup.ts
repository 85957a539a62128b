import { readFile } from "node:fs/promises";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";

/** The cgroup of this process; undefined if it is that of the whole machine. */
export async function ownCgroup(version: Cgroups["version"]): Promise<string | undefined> {
  return parseOwnCgroup(await readFile("/proc/self/cgroup", "utf8"), version);
}

/** The cgroup in the text of a `/proc/PID/cgroup`: that of its memory, or the only one of version 2. */
export function parseOwnCgroup(text: string, version: Cgroups["version"]): string | undefined {
  const pattern = version === "v2" ? /^0::(.*)$/m : /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m;
  const path = pattern.exec(text)?.[1];
  return path === undefined || path === "/" || path.startsWith("/..") ? undefined : path;
}
