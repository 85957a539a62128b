import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";

/** Kills all processes in a cgroup and below it. New ones may start meanwhile, so that it tries several times. */
export async function killCgroup(path: string, cgroups: Pick<Cgroups, "pids">): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const pids = await cgroups.pids(path);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

const attempts = 5;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
