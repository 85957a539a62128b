import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { type Clock, DeadlineExceeded, sleep, withDeadline } from "../../base/clock.ts";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import type { ClusterReady } from "./cluster-server-command.ts";
import { lastLines } from "./log-lines.ts";

export interface ClusterProcessOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly nodes: number;
  readonly log: string;
  readonly clock: Clock;
  /** How long it may take until it is ready. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A cluster's process that has begun. */
export interface ClusterProcess {
  readonly identity: ProcessIdentity;
  /** Resolves when it listens; throws, with the end of its log, where it ends before. */
  readonly ready: Promise<void>;
}

/**
 * What a Node that holds a cluster is told: what a request leaves behind is gone before it is looked
 * at, if there is room for the others meanwhile. It takes that room under load only.
 */
export const clusterNodeFlags: readonly string[] = ["--max-semi-space-size=64"];

/** Starts the process of a cluster in the background, where it stays when this one ends. */
export async function startClusterProcess(options: ClusterProcessOptions): Promise<ClusterProcess> {
  const { dataDir, port, nodes, log } = options;
  const file = openSync(log, "a", 0o600);
  const [program = ""] = process.argv.slice(1);
  const child = spawn(
    process.execPath,
    [
      ...clusterNodeFlags,
      ...process.execArgv,
      program,
      "cluster-server",
      ...["--data-dir", dataDir],
      ...["--secure-port", String(port)],
      ...["--nodes", String(nodes)],
      ...["--log-file", log],
    ],
    { detached: true, stdio: ["ignore", file, file, "ipc"], cwd: "/" },
  );
  closeSync(file);
  await once(child, "spawn");
  const identity = identifyProcess(child.pid ?? 0) ?? { pid: child.pid ?? 0, startedAt: "" };
  const ready = untilReady(child, options).finally(() => {
    // Nothing of this process waits for it any more.
    if (child.connected) child.disconnect();
    child.unref();
  });
  // Whoever does something else first may not come to wait for it.
  ready.catch(() => undefined);
  return { identity, ready };
}

async function untilReady(
  child: ChildProcess,
  { clock, timeoutMs, signal, log }: ClusterProcessOptions,
): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    child.on("message", (message) => {
      if ((message as Partial<ClusterReady>).ready) resolve();
    });
    child.on("exit", () => {
      const what = "the cluster's process ended while it started";
      endOf(log, what).then((text) => reject(new Error(text)), reject);
    });
  });
  ready.catch(() => undefined);
  await withDeadline({ clock, ms: timeoutMs, signal }, () => ready).catch(
    async (error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) throw error;
      throw new Error(await endOf(log, "the cluster was not ready in time, see --timeout"));
    },
  );
}

const shownLines = 10;

/** What has happened, and what the log has to say about it. */
async function endOf(log: string, what: string): Promise<string> {
  const lines = await lastLines(log, shownLines);
  if (lines.length === 0) return `${what}; its log, ${log}, is empty`;
  // A line that was meant for people says it all.
  const error = lines.findLast((line) => line.startsWith("Error: "))?.replace("Error: ", ": ");
  const end = lines.map((line) => `  ${line}`).join("\n");
  return `${what}${error ?? ""}\nIts log, ${log}, ends with\n${end}`;
}

export interface StopOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks a process to end, and waits until it has; false where it takes too long. */
export async function stopProcess(
  identity: ProcessIdentity,
  { clock, timeoutMs, signal }: StopOptions,
): Promise<boolean> {
  send(identity, "SIGTERM");
  return hasEnded(identity, { clock, timeoutMs, signal });
}

/** Ends a process that does not end by itself. */
export async function killProcess(identity: ProcessIdentity, clock: Clock): Promise<void> {
  send(identity, "SIGKILL");
  await hasEnded(identity, { clock, timeoutMs: 5000 });
}

function send(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    if (isRunning(identity)) process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Node reports the end of child processes only: the end of another process is polled for. */
async function hasEnded(
  identity: ProcessIdentity,
  { clock, timeoutMs, signal }: StopOptions,
): Promise<boolean> {
  const until = clock.now() + timeoutMs;
  while (isRunning(identity)) {
    if (clock.now() >= until) return false;
    await sleep(clock, 20, signal);
  }
  return true;
}
