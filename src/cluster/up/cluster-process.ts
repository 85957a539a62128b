import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { type Clock, DeadlineExceeded, sleep, withDeadline } from "../../base/clock.ts";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import type { ClusterRanges } from "../box/choose-ranges.ts";
import type { ClusterRecord } from "./cluster-record.ts";
import type { ClusterReady } from "./cluster-server-command.ts";
import { lastLines } from "./log-lines.ts";

export interface ClusterProcessOptions {
  readonly record: Pick<
    ClusterRecord,
    "name" | "dataDir" | "port" | "nodes" | "realNodes" | "ranges"
  >;
  readonly log: string;
  readonly clock: Clock;
  /** How long the process may take to become ready. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The process of a cluster that was started. */
export interface ClusterProcess {
  readonly identity: ProcessIdentity;
  /** Resolves when it listens; throws with the end of its log if it exits before. */
  readonly ready: Promise<void>;
}

/**
 * Options of Node for a cluster's process. With a larger young generation most garbage of a request is
 * freed before it is promoted to the old one. The memory is used under load only.
 */
export const clusterNodeFlags: readonly string[] = ["--max-semi-space-size=64"];

/** Starts the process of a cluster in the background, where it outlives this process. */
export async function startClusterProcess(options: ClusterProcessOptions): Promise<ClusterProcess> {
  const { record, log } = options;
  const { dataDir, port, nodes, realNodes = 0, ranges } = record;
  const file = openSync(log, "a", 0o600);
  const [program = ""] = process.argv.slice(1);
  const child = spawn(
    process.execPath,
    [
      ...clusterNodeFlags,
      ...process.execArgv,
      program,
      "cluster-server",
      ...["--cluster-name", record.name],
      ...["--data-dir", dataDir],
      ...["--secure-port", String(port)],
      ...["--nodes", String(nodes - realNodes)],
      ...(ranges ? boxFlags(realNodes, ranges) : []),
      ...["--log-file", log],
    ],
    { detached: true, stdio: ["ignore", file, file, "ipc"], cwd: "/" },
  );
  closeSync(file);
  await once(child, "spawn");
  const identity = identifyProcess(child.pid ?? 0) ?? { pid: child.pid ?? 0, startedAt: "" };
  const ready = untilReady(child, options).finally(() => {
    // The child must not keep this process alive.
    if (child.connected) child.disconnect();
    child.unref();
  });
  // The caller may fail before it awaits this: a rejection must not end the process.
  ready.catch(() => undefined);
  return { identity, ready };
}

/** The flags of a cluster whose nodes are boxes. */
const boxFlags = (count: number, ranges: ClusterRanges): readonly string[] => [
  ...["--real-nodes", String(count)],
  ...["--node-range", ranges.nodes, "--pod-range", ranges.pods, "--gateway", ranges.gateway],
  ...(ranges.services === undefined ? [] : ["--service-cluster-ip-range", ranges.services]),
  ...(ranges.ipv6 === undefined ? [] : ["--ipv6-prefix", ranges.ipv6]),
];

async function untilReady(
  child: ChildProcess,
  { clock, timeoutMs, signal, log }: ClusterProcessOptions,
): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    child.on("message", (message) => {
      if ((message as Partial<ClusterReady>).ready) resolve();
    });
    child.on("exit", () => {
      const what = "the cluster's process exited while starting";
      endOf(log, what).then((text) => reject(new Error(text)), reject);
    });
  });
  ready.catch(() => undefined);
  await withDeadline({ clock, ms: timeoutMs, signal }, () => ready).catch(
    async (error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) throw error;
      throw new Error(
        await endOf(log, "the cluster was not ready in time: allow more with --timeout"),
      );
    },
  );
}

const shownLines = 10;

/** An error text, with the error or the last lines that the log holds. */
async function endOf(log: string, what: string): Promise<string> {
  const lines = await lastLines(log, shownLines);
  if (lines.length === 0) return `${what}; its log ${log} is empty`;
  // A line that begins with "Error:" was written for users: show it first.
  const error = lines.findLast((line) => line.startsWith("Error: "))?.replace("Error: ", ": ");
  const end = lines.map((line) => `  ${line}`).join("\n");
  return `${what}${error ?? ""}\nThe last lines of its log ${log}:\n${end}`;
}

export interface StopOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends SIGTERM and waits for the process to exit; false if it takes too long. */
export async function stopProcess(
  identity: ProcessIdentity,
  { clock, timeoutMs, signal }: StopOptions,
): Promise<boolean> {
  send(identity, "SIGTERM");
  return hasEnded(identity, { clock, timeoutMs, signal });
}

/** Kills a process that did not stop when it was asked to. */
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

/** Polls for the exit of a process: Node reports it only for child processes. */
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
