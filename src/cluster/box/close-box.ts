import { existsSync } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { killProcesses, processesWith } from "../../engine/kill-processes.ts";
import { mountsBelow } from "../../engine/snapshots/overlay-mount.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { isRunning, type ProcessIdentity } from "../../platform/process-identity.ts";
import { realClock } from "../../platform/real-clock.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { type BoxPaths, boxMarker, boxPaths } from "./box-paths.ts";
import { findProcess } from "./box-processes.ts";
import { holdsBox, readBoxRecord } from "./box-record.ts";
import { endContainers } from "./end-containers.ts";

/**
 * Ends all processes of a box and removes its network and cgroups. Its folder stays: it can be opened again. Its
 * containers have a moment to end by themselves.
 */
export async function closeBox(folder: string): Promise<void> {
  const paths = await boxPaths(folder);
  const init = (await readBoxRecord(paths))?.init;
  if (init && holdsBox(init)) {
    // The agent would start them again.
    const agent = await findProcess(paths, "agent");
    if (agent) process.kill(agent.pid, "SIGKILL");
    const cgroups = await openCgroups();
    await endContainers(paths.cgroup, { cgroups, clock: realClock, patienceMs });
  }
  await endBox(paths);
}

/** How long the containers of a box have to end. */
const patienceMs = 3000;

/**
 * Removes a box, whatever a killed process or a reboot has left of it. A folder without the record of a box is not
 * touched unless it is empty.
 */
export async function removeBox(folder: string): Promise<void> {
  const paths = await boxPaths(folder);
  await endBox(paths);
  if (existsSync(paths.record)) {
    const names = await readdir(paths.folder);
    const others = names.map((name) => join(paths.folder, name));
    // The record last: an interrupted removal can be repeated.
    await mustRun("rm", ["-rf", "--", ...others.filter((path) => path !== paths.record)]);
    await mustRun("rm", ["-f", "--", paths.record]);
  }
  await rmdir(paths.folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTEMPTY") throw error;
  });
}

/** Ends what runs of a box, also if it is not complete or not recorded. */
export async function endBox(paths: BoxPaths): Promise<void> {
  const init = (await readBoxRecord(paths))?.init;
  if (init && isRunning(init)) await killInit(init);
  await killProcesses(() => processesWith("environ", `${boxMarker}=${paths.folder}`));
  // It may be gone: the kernel removes it with the namespace of the other end, but some time later.
  await runChild("ip", ["link", "delete", "dev", paths.link]);
  await (await openCgroups()).remove(paths.cgroup);
  const mounts = await mountsBelow(paths.folder);
  if (mounts.length > 0) await mustRun("umount", ["--lazy", ...[...mounts].reverse()]);
}

/** Kills the first process; the kernel ends all others before it is gone. */
async function killInit(init: ProcessIdentity): Promise<void> {
  process.kill(init.pid, "SIGKILL");
  for (let waitMs = 1; isRunning(init); waitMs *= 2) {
    if (waitMs > longestWaitMs)
      throw new Error(`process ${init.pid}, the first of the box, does not end when it is killed`);
    await after(waitMs);
  }
}

const longestWaitMs = 8192;
