import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process, distinct from later ones with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a system-specific form; empty where the system does not provide it. */
  readonly startedAt: string;
}

/** The process with a pid, if there is one. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !exists(pid)) return undefined;
  const startedAt = process.platform === "linux" ? linuxStart(pid) : otherStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether the same process is still running, not another one with its pid. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  const found = identifyProcess(pid);
  return found !== undefined && found.startedAt === startedAt;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The boot id and the start time in ticks since boot. A zombie counts as ended. */
function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name may contain anything, parentheses included.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${fields[18]}`;
  } catch {
    return undefined;
  }
}

function otherStart(pid: number): string | undefined {
  if (process.platform === "win32") return "";
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}
