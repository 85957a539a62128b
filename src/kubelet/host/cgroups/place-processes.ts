import { readlink } from "node:fs/promises";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { ProcessMover } from "../../../platform/cgroups/move-process.ts";

export interface PlaceProcessesOptions {
  /** The cgroup of the kubelet's process; empty to leave it where it is. */
  readonly kubeletCgroup: string;
  /** The cgroup of all processes that are in none; empty to leave them where they are. */
  readonly systemCgroup: string;
  readonly cgroups: Pick<Cgroups, "exists" | "create">;
  readonly mover: ProcessMover;
  /** The process of the kubelet; by default this one. */
  readonly pid?: number | undefined;
  /** Where processes are that are in no cgroup: `/`. */
  readonly root?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Moves processes that are no pods' to cgroups of their own, now and each minute until it is closed. */
export async function placeProcesses(options: PlaceProcessesOptions): Promise<{ close(): void }> {
  const { kubeletCgroup, systemCgroup, cgroups, mover, clock, log } = options;
  const { pid = process.pid, root = "/" } = options;
  for (const path of [kubeletCgroup, systemCgroup])
    if (path !== "" && !(await cgroups.exists(path))) await cgroups.create(path);
  const place = async (): Promise<void> => {
    if (systemCgroup !== "") await moveOthers({ from: root, to: systemCgroup, mover, pid });
    if (kubeletCgroup !== "") await mover.move(pid, kubeletCgroup);
  };
  let timer: Timer | undefined;
  let isClosed = false;
  const repeat = async (): Promise<void> => {
    await place().catch((error: unknown) => {
      log.warn("moving processes to their cgroups failed", { error });
    });
    if (!isClosed) timer = clock.setTimer(periodMs, () => void repeat());
  };
  await repeat();
  return {
    close(): void {
      isClosed = true;
      timer?.cancel();
    },
  };
}

interface Moves {
  readonly from: string;
  readonly to: string;
  readonly mover: ProcessMover;
  readonly pid: number;
}

/** Processes that begin while others are moved are moved, too. */
async function moveOthers({ from, to, mover, pid: own }: Moves): Promise<void> {
  for (let i = 0; i <= mostRounds; i++) {
    const all = await mover.processesIn(from);
    const others: number[] = [];
    for (const pid of all) if (pid !== 1 && pid !== own && (await isProgram(pid))) others.push(pid);
    if (others.length === 0) return;
    for (const pid of others) await mover.move(pid, to);
  }
}

/** Threads of the kernel have no program. */
const isProgram = (pid: number): Promise<boolean> =>
  readlink(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  );

const mostRounds = 10;
const periodMs = 60_000;
