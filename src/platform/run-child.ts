import { type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import { spawned } from "./spawned.ts";

/** How a child process ended, and what it printed. */
export interface ChildResult {
  /** The exit code; 128 and the signal's number if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  /** Written to its standard input. */
  readonly input?: string | Uint8Array | undefined;
  /** The descriptor of its standard input, instead of bytes. */
  readonly stdin?: number | undefined;
  /** How many bytes of its output are kept; a megabyte by default. */
  readonly mostBytes?: number | undefined;
  /** Kills the child when aborted; the call then rejects. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program to its end; rejects if it cannot be started, and otherwise whatever its exit code. */
export function runChild(
  program: string,
  args: readonly string[],
  { input, stdin, signal, mostBytes, ...options }: ChildOptions = {},
): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const child = spawned(
      spawn(program, args, {
        ...options,
        ...(signal && { signal, killSignal: "SIGKILL" }),
        stdio: [input === undefined ? (stdin ?? "ignore") : "pipe", "pipe", "pipe"],
      }),
      program,
    );
    const stdout = collect(child.stdout, mostBytes);
    const stderr = collect(child.stderr, mostBytes);
    child.on("error", (cause: NodeJS.ErrnoException) =>
      reject(cause.code === "ENOENT" ? new Error(`cannot run ${program}`, { cause }) : cause),
    );
    child.on("close", (code, name) => {
      resolve({ code: exitCode(code, name), stdout: stdout(), stderr: stderr() });
    });
    if (input === undefined) return;
    // A program may end without reading its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** The exit code of a process as a shell tells it: 128 and the signal's number if a signal ended it. */
export const exitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signalNumbers[signal ?? ""] ?? 0);

/** Runs a program that must succeed; resolves with its output, and rejects with its error output. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options?: ChildOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runChild(program, args, options);
  if (code === 0) return stdout;
  const why = stderr.trim() || stdout.trim() || `exit code ${code}`;
  throw new Error(`${program} ${args[0] ?? ""}: ${why}`);
}

/** Keeps the first bytes: what these programs print is short. */
function collect(stream: NodeJS.ReadableStream | null, limit = megabyte): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  stream?.on("data", (bytes: Buffer) => {
    if (size < limit) parts.push(bytes);
    size += bytes.length;
  });
  return () => Buffer.concat(parts).subarray(0, limit).toString("utf8");
}

const megabyte = 1 << 20;
const signalNumbers: Readonly<Record<string, number>> = constants.signals;
