import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { mustRun } from "../../platform/run-child.ts";

export interface OwnProcessOptions {
  /** How likely the kernel kills the agent when memory runs out: from -1000 to 1000. */
  readonly oomScoreAdj?: number | undefined;
  /** How many files the agent may have open. */
  readonly maxOpenFiles?: number | undefined;
  readonly log: Log;
  /** The process; by default this one. */
  readonly pid?: number | undefined;
}

/** Sets what the configuration says of the agent's own process; what the system does not permit is a warning. */
export async function setUpOwnProcess(options: OwnProcessOptions): Promise<void> {
  const { oomScoreAdj, maxOpenFiles, log, pid = process.pid } = options;
  if (oomScoreAdj !== undefined) await setOomScoreAdj(pid, oomScoreAdj, log);
  if (maxOpenFiles === undefined) return;
  // Node cannot set limits, also not its own.
  const args = ["--pid", String(pid), `--nofile=${maxOpenFiles}:${maxOpenFiles}`];
  await mustRun("prlimit", args).catch((error: unknown) => {
    const reason = errorMessage(error);
    log.warn("Failed to set rlimit on max file handles", { maxOpenFiles, reason });
  });
}

/** How many files this process and its children may have open; undefined if there is no limit. */
export function ownFileLimit(): number | undefined {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const hard = /^Max open files +\S+ +(\d+)/m.exec(limits)?.[1];
  return hard === undefined ? undefined : Number(hard);
}

async function setOomScoreAdj(pid: number, wanted: number, log: Log): Promise<void> {
  const file = `/proc/${pid}/oom_score_adj`;
  try {
    await writeFile(file, String(wanted));
  } catch (error) {
    const kept = Number(await readFile(file, "utf8"));
    log.warn("oom_score_adj stays as it is: lowering it needs CAP_SYS_RESOURCE", {
      ...{ oomScoreAdj: wanted, kept, reason: errorMessage(error) },
    });
  }
}
