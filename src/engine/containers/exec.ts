import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onAbort } from "../../base/on-abort.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { StreamSession } from "../../cri/streams.ts";
import { spawned } from "../../platform/spawned.ts";
import type { ExecCommand } from "./containers.ts";
import type { OciProcess } from "./oci/oci-types.ts";
import { type OciRuntime, runtimeMessage } from "./oci-runtime.ts";
import { runInTerminal } from "./terminal.ts";
import { writeAll } from "./write-all.ts";

export interface ContainerExec {
  readonly id: string;
  readonly command: ExecCommand;
  /** The process of the container's OCI configuration, from which that of the command is derived. */
  readonly process: OciProcess;
  readonly runtime: OciRuntime;
  readonly runFolder: string;
}

/** Runs a command in a container; resolves with its exit code after all of its output was written. */
export async function execInContainer(
  { id, command, process, runtime, runFolder }: ContainerExec,
  session: StreamSession,
): Promise<number> {
  const files = new ExecFiles(join(runFolder, `${execPrefix}${randomUUID()}`));
  await writeFile(files.process, JSON.stringify(execProcess(process, command)), { mode: 0o600 });
  const args = [...runtime.flags, "exec", "--process", files.process, "--pid-file", files.pid, id];
  let isLate = false;
  const late = (): void => {
    isLate = true;
    files.kill();
  };
  const timer = command.timeoutMs
    ? setTimeout(late, Math.min(command.timeoutMs, longestMs))
    : undefined;
  const stopListening = onAbort(session.signal, () => files.kill());
  try {
    const run = command.tty ? runInTerminal : runWithPipes;
    const { code, errors } = await run({ program: runtime.program, args, command, files }, session);
    if (isLate)
      throw new RuntimeError(
        "DeadlineExceeded",
        `timeout ${(command.timeoutMs ?? 0) / 1000}s exceeded`,
      );
    if (!files.hasStarted())
      throw new RuntimeError(
        "Unknown",
        `OCI runtime exec failed: ${runtimeMessage(errors)}: unknown`,
      );
    return code;
  } finally {
    clearTimeout(timer);
    stopListening();
    await files.remove();
  }
}

/** The start of the names of the files of commands. */
export const execPrefix = "exec-";

/** Node ends longer times at once. */
const longestMs = 2 ** 31 - 1;

/** How the OCI runtime is run for a command. */
export interface ExecRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly command: ExecCommand;
  readonly files: ExecFiles;
}

export interface ExecEnd {
  readonly code: number;
  /** The error output of the OCI runtime, if it could not start the command. */
  readonly errors: string;
}

/** The process of an OCI configuration for a command: what it does not say is the container's. */
export function execProcess(container: OciProcess, command: ExecCommand): object {
  const { args, tty, env, cwd, user, size } = command;
  const { uid, gid, additionalGids } = user ?? {};
  // Without limits here, the OCI runtime takes those of the container.
  const { rlimits: _, ...base } = container;
  const all = env ?? base.env;
  return {
    ...base,
    args,
    terminal: tty,
    env: tty && !all.some((one) => one.startsWith("TERM=")) ? [...all, "TERM=xterm"] : all,
    ...(cwd !== undefined && { cwd }),
    ...(user && { user: { uid, gid, additionalGids } }),
    ...(size && { consoleSize: { width: size.width, height: size.height } }),
  };
}

/** The files by which the OCI runtime is told of a command and tells of its process. */
export class ExecFiles {
  readonly process: string;
  readonly pid: string;

  constructor(path: string) {
    this.process = `${path}.json`;
    this.pid = `${path}.pid`;
  }

  hasStarted(): boolean {
    return existsSync(this.pid);
  }

  /** The pid of the command, once it has started. */
  startedPid(): number | undefined {
    try {
      return Number(readFileSync(this.pid, "utf8")) || undefined;
    } catch {
      return undefined;
    }
  }

  /** Kills the command and its process group: killing the OCI runtime would leave it running. */
  kill(): void {
    const pid = this.startedPid();
    if (pid === undefined) return;
    for (const target of [-pid, pid])
      try {
        process.kill(target, "SIGKILL");
      } catch {
        // It has ended.
      }
  }

  async remove(): Promise<void> {
    await Promise.all([this.process, this.pid].map((path) => rm(path, { force: true })));
  }
}

async function runWithPipes(run: ExecRun, session: StreamSession): Promise<ExecEnd> {
  const { program, args, command, files } = run;
  const child = spawned(
    spawn(program, args, {
      stdio: [session.stdin ? "pipe" : "ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH },
    }),
    program,
  );
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", (cause) => reject(new Error(`cannot run ${program}`, { cause })));
    child.on("exit", (code) => resolve(code ?? 255));
  });
  void writeAll(child.stdin, session.stdin);
  const started = whenStarted(files, ended).then((pid) => {
    if (pid !== undefined) command.onStart?.(pid);
  });
  const held: string[] = [];
  const [code] = await Promise.all([
    ended,
    pump(child.stdout, session.stdout),
    pump(child.stderr, async (bytes) => {
      // Before the command has started, this is the runtime's own error, not the command's.
      if (!files.hasStarted()) await started;
      if (files.hasStarted()) await session.stderr?.(bytes);
      else held.push(bytes.toString());
    }),
  ]);
  return { code, errors: held.join("") };
}

/** Resolves with the pid of a command when it has started, or with nothing when it has ended without. */
async function whenStarted(files: ExecFiles, ended: Promise<number>): Promise<number | undefined> {
  let isOver = false;
  const over = ended.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  for (;;) {
    const pid = files.startedPid();
    if (pid !== undefined || isOver) return pid;
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 3))]);
  }
}

/** Writes what a stream yields, one piece after another. */
async function pump(
  stream: AsyncIterable<Buffer> | null,
  write: ((bytes: Buffer) => Promise<void>) | undefined,
): Promise<void> {
  // A client that has disconnected must not stop the command.
  for await (const bytes of stream ?? []) await write?.(bytes).catch(() => {});
}
