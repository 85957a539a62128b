import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { onTestFinished } from "vitest";
import { mountPoints } from "../../engine/snapshots/overlay-mount.ts";
import { identifyProcess } from "../../platform/process-identity.ts";
import { mustRun } from "../../platform/run-child.ts";
import type { BoxOptions } from "./box.ts";
import { boxMarker, boxPaths } from "./box-paths.ts";
import { removeBox } from "./close-box.ts";

/** A folder that is removed at the end of a test, with the boxes in it. Its name has what shells and tables trip over. */
export function boxesFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry boxes, a:b-"));
  onTestFinished(async () => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await removeBox(join(folder, entry.name));
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** The options of a box; tests run beside each other, so its addresses follow from the process. */
export function testBox(folder: string, number: number): BoxOptions {
  const range = `10.19${process.pid % 8}.${(process.pid >> 3) % 256}`;
  return {
    cluster: basename(folder),
    node: `node-${number}`,
    folder: join(folder, `node-${number}`),
    ...{ address: `${range}.${number + 1}`, gateway: `${range}.1`, keep: [] },
  };
}

/** What the machine has of a box beside its folder. */
export async function tracesOf(folder: string): Promise<object> {
  const { link, cgroup } = await boxPaths(folder);
  const routes = await mustRun("ip", ["route", "show", "table", "all"]);
  return {
    links: existsSync(`/sys/class/net/${link}`) ? [link] : [],
    routes: routes.split("\n").filter((line) => line.includes(link)),
    cgroups: mounted().filter((path) => existsSync(join(path, cgroup))),
    mounts: mounted().filter((path) => path.startsWith(folder)),
    processes: readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isOf(pid, folder)),
  };
}

/** What `tracesOf` finds of a box that does not exist. */
export const noTraces = { links: [], routes: [], cgroups: [], mounts: [], processes: [] };

const mounted = (): readonly string[] => mountPoints(readFileSync("/proc/self/mountinfo", "utf8"));

/** Whether a process makes or is a box, or has its root directory. */
function isOf(pid: string, folder: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    const mountinfo = readFileSync(`/proc/${pid}/mountinfo`, "utf8");
    const isMarked = environment.includes(`${boxMarker}=${folder}`);
    const isInside = mountinfo.split("\n").some((line) => line.includes(` ${folder}/root / `));
    return (isMarked || isInside) && identifyProcess(Number(pid)) !== undefined;
  } catch {
    return false;
  }
}
