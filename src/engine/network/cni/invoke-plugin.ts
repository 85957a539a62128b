import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CniError } from "../../../cri/cni/cni-error.ts";
import { exitCode } from "../../../platform/run-child.ts";
import { spawned } from "../../../platform/spawned.ts";

export interface PluginCall {
  readonly command: "ADD" | "DEL" | "CHECK" | "STATUS" | "GC" | "VERSION";
  /** The name of the program. */
  readonly type: string;
  readonly input: object;
  /** Variables beside those that each call has. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface PluginCallOptions {
  readonly pluginFolders: readonly string[];
  /** Kills the plugin, and all that it has started. */
  readonly signal: AbortSignal;
}

/** Runs a plugin; resolves with what it has printed, and rejects with the error that it has printed. */
export async function invokePlugin(
  call: PluginCall,
  { pluginFolders, signal }: PluginCallOptions,
): Promise<string> {
  const program = await findPlugin(call.type, pluginFolders);
  const env = {
    ...process.env,
    ...call.env,
    CNI_COMMAND: call.command,
    CNI_PATH: pluginFolders.join(delimiter),
  };
  for (let tries = 1; ; tries++) {
    try {
      const ended = await run(program, { env, input: JSON.stringify(call.input), signal });
      if (ended.code === 0) return ended.stdout;
      throw pluginError(ended);
    } catch (error) {
      // It is just being installed.
      if ((error as NodeJS.ErrnoException).code !== "ETXTBSY" || tries === mostTries) throw error;
      await wait(busyMs, undefined, { signal });
    }
  }
}

const mostTries = 5;
const busyMs = 1000;

async function findPlugin(type: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const path = join(folder, type);
    if ((await stat(path).catch(() => undefined))?.isFile()) return path;
  }
  throw new Error(`failed to find plugin ${JSON.stringify(type)} in path [${folders.join(" ")}]`);
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  readonly signal: AbortSignal;
}

/** Runs a program with a process group of its own, so that it can be killed with its children. */
function run(program: string, { env, input, signal }: Run): Promise<Ended> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawned(spawn(program, [], { env, detached: true, stdio: "pipe" }), program);
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    const abort = (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
      // A child that has left the group may hold them open.
      for (const stream of child.stdio) stream?.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
    child.on("error", (error) => {
      signal.removeEventListener("abort", abort);
      reject(error);
    });
    child.on("close", (code, name) => {
      signal.removeEventListener("abort", abort);
      resolve({ code: exitCode(code, name), stdout: stdout(), stderr: stderr() });
    });
    // A program may end without reading its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Keeps the first megabyte: a result is short. */
function collect(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on("data", (bytes: Buffer) => {
    if (size < mostBytes) parts.push(bytes);
    size += bytes.length;
  });
  return () => Buffer.concat(parts).subarray(0, mostBytes).toString("utf8");
}

const mostBytes = 1 << 20;

/** The error that a plugin has printed, or what else is known of its end. */
function pluginError({ code, stdout, stderr }: Ended): CniError {
  if (stdout.trim() === "")
    return new CniError(
      "internal",
      stderr.trim() === ""
        ? `netplugin failed with no error message: exit status ${code}`
        : `netplugin failed: ${JSON.stringify(stderr.slice(0, mostQuoted))}`,
    );
  try {
    const printed = JSON.parse(stdout) as Record<string, unknown>;
    const { code: own, msg = "", details = "" } = printed;
    return new CniError(typeof own === "number" ? own : 0, String(msg), String(details));
  } catch (cause) {
    return new CniError(
      "decodingFailure",
      `netplugin failed but error parsing its diagnostic message ${JSON.stringify(stdout.slice(0, mostQuoted))}: ${(cause as Error).message}`,
    );
  }
}

const mostQuoted = 4096;
