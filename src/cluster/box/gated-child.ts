import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { spawned } from "../../platform/spawned.ts";

/** A child process that waits for permission to become what it shall be. */
export interface GatedChild {
  readonly child: ChildProcess;
  /** The lines that it printed before it waited. */
  readonly lines: readonly string[];
  /** Lets it go on; it does not keep this process alive. */
  go(): void;
  /** Has it end. */
  refuse(): void;
}

export interface GatedOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  /** Its error output: a descriptor, or kept for the error if it ends early. */
  readonly errors: number | "pipe";
  /** What it gets as descriptor 3. */
  readonly extra: number;
}

/**
 * Starts a program in a session of its own that prints lines, the last of them `ready`, and then waits for a line
 * from descriptor 4. What depends on the process is recorded meanwhile: if this process is killed before, that
 * descriptor ends, and the child with it. Rejects if its output ends early.
 */
export function startGated(
  program: string,
  args: readonly string[],
  { errors, extra, ...options }: GatedOptions,
): Promise<GatedChild> {
  const child = spawned(
    spawn(program, args, {
      ...options,
      detached: true,
      // Not the standard input: Node closes that when the child ends, but the child's children may be the ones that wait.
      stdio: ["ignore", "pipe", errors, extra, "pipe"],
    }),
    program,
  );
  const gate = child.stdio[4] as Writable;
  // It may have ended already.
  gate.on("error", () => {});
  const gated = (lines: readonly string[]): GatedChild => ({
    ...{ child, lines },
    go() {
      gate.end("go\n");
      child.stdout?.destroy();
      child.unref();
    },
    refuse: () => void gate.end(),
  });
  return new Promise((resolve, reject) => {
    const printed = collect(child.stdout);
    const complaints = collect(child.stderr);
    child.on("error", (cause) => reject(new Error(`cannot run ${program}`, { cause })));
    child.stdout?.on("data", () => {
      const lines = printed().split("\n").slice(0, -1);
      if (lines.includes("ready")) resolve(gated(lines));
    });
    child.stdout?.on("close", () => {
      gate.destroy();
      reject(new Error(complaints().trim() || `${program} ended early`));
    });
  });
}

/** Keeps what these programs print, which is short. */
function collect(stream: Readable | null): () => string {
  let text = "";
  stream?.on("data", (bytes: Buffer) => {
    if (text.length < longest) text += bytes;
  });
  return () => text;
}

const longest = 1 << 16;
