import { readFileSync } from "node:fs";
import { type Clock, sleep } from "../../base/clock.ts";
import type { Cgroups } from "../../platform/cgroups/cgroups.ts";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";

export interface EndContainersOptions {
  readonly cgroups: Pick<Cgroups, "children" | "pids">;
  readonly clock: Clock;
  /** How long all containers together have to end. */
  readonly patienceMs: number;
}

/**
 * Sends SIGTERM to the containers of the pods below a cgroup, and waits a moment for those that handle it. Hooks do
 * not run: the API server has stopped, and the pods are not over, but start again with the box. Containers without a
 * handler are not waited for: as first processes they would not notice the signal.
 */
export async function endContainers(
  cgroup: string,
  { cgroups, clock, patienceMs }: EndContainersOptions,
): Promise<void> {
  const until = clock.now() + patienceMs;
  let left = (await mainProcesses(cgroup, cgroups)).filter(terminate);
  while (left.length > 0 && clock.now() < until) {
    await sleep(clock, pollMs);
    left = left.filter(isRunning);
  }
}

const pollMs = 20;

/** The first process of each container: each has a cgroup of its own in that of its pod. */
async function mainProcesses(
  cgroup: string,
  cgroups: EndContainersOptions["cgroups"],
): Promise<readonly ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (const name of await cgroups.children(cgroup)) {
    const path = `${cgroup}/${name}`;
    if (!name.startsWith("pod")) {
      found.push(...(await mainProcesses(path, cgroups)));
      continue;
    }
    for (const container of await cgroups.children(path)) {
      const pids = await cgroups.pids(`${path}/${container}`);
      const [main] = pids
        .flatMap((pid) => identifyProcess(pid) ?? [])
        .sort((a, b) => startOf(a) - startOf(b) || a.pid - b.pid);
      if (main) found.push(main);
    }
  }
  return found;
}

/** In ticks since the machine has started. */
const startOf = ({ startedAt }: ProcessIdentity): number => Number(startedAt.split(" ").at(-1));

/** Sends the signal to a process that handles it; returns whether it does. */
function terminate({ pid }: ProcessIdentity): boolean {
  try {
    if (!handlesSigterm(readFileSync(`/proc/${pid}/status`, "utf8"))) return false;
    return process.kill(pid, "SIGTERM");
  } catch {
    // It has ended.
    return false;
  }
}

/** Whether a process has a handler, as its `/proc/PID/status` shows it: a mask of signals in hexadecimal. */
export function handlesSigterm(status: string): boolean {
  const [, mask = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return ((BigInt(`0x${mask}`) >> 14n) & 1n) === 1n;
}
