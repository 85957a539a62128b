import { readdir, readFile } from "node:fs/promises";
import type { Cgroups } from "../cgroups/cgroups.ts";
import type { OciRuntime } from "./oci-runtime.ts";

export interface LeftoversOptions {
  readonly runtime: OciRuntime;
  readonly cgroups: Cgroups;
}

export interface EndedContainer {
  readonly id: string;
  readonly bundle: string;
  readonly cgroupsPath: string;
  /** Whether its end was recorded. If not, conmon and the OCI runtime may still be at work on it. */
  readonly isRecorded: boolean;
}

/** Ends all that may be left of a container: every process in its cgroup, and the cgroup itself. */
export async function removeLeftovers(
  { id, bundle, cgroupsPath, isRecorded }: EndedContainer,
  { runtime, cgroups }: LeftoversOptions,
): Promise<void> {
  if (!isRecorded) await killAll(() => processesWithArgument(bundle));
  await runtime.delete(id);
  await killAll(() => cgroups.pids(cgroupsPath));
  await cgroups.remove(cgroupsPath);
}

/** Kills processes until none is found. */
async function killAll(find: () => Promise<readonly number[]>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const pids = await find();
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, round));
  }
}

/** Enough for about ten seconds: a process in the kernel may take a while to end. */
const rounds = 150;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** The processes that have an argument, zombies not included. */
async function processesWithArgument(argument: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return pids.filter((_, i) => lines[i]?.split("\0").includes(argument)).map(Number);
}
