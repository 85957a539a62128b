import { readFile } from "node:fs/promises";
import type { Observation } from "../../eviction/signal.ts";

/** How many more processes and threads this machine can run. */
export async function observeProcesses(): Promise<Omit<Observation, "at">> {
  const [pidMax, threadsMax, loadavg] = await Promise.all(
    ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max", "/proc/loadavg"].map((path) =>
      readFile(path, "utf8"),
    ),
  );
  const capacity = Math.min(Number(pidMax), Number(threadsMax));
  return { capacity, available: capacity - taskCount(loadavg ?? "") };
}

/** The number of tasks in `/proc/loadavg`: 3518 in `1.36 3.49 4.53 2/3518 3715089`. */
function taskCount(loadavg: string): number {
  const [, , , tasks = ""] = loadavg.split(" ");
  return Number(tasks.split("/")[1] ?? 0);
}
