import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { LogLines } from "../../cri/log-lines.ts";
import type { StreamSession } from "../../cri/streams.ts";
import { logFile } from "../../platform/log-file.ts";
import { spawned } from "../../platform/spawned.ts";
import { writeAll } from "./write-all.ts";

/** A container as conmon serves it. */
export interface AttachTarget {
  readonly bundle: string;
  readonly logPath: string;
  /** The offset in its log at which the client attached. */
  readonly from: number;
  /** Whether it has an input. */
  readonly stdin: boolean;
  /** Whether the client leaves when its own input has ended. */
  readonly leavesWithInput: boolean;
  /** Aborted when the container has ended. */
  readonly ended: AbortSignal;
}

/** Where the log of a container ends now. */
export const logEnd = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * Connects streams to the first process of a running container. Its output is what conmon appends to its log, part
 * by part; its input goes to conmon's socket, which socat opens, because Node has no sequenced packets.
 */
export async function attachStreams(target: AttachTarget, session: StreamSession): Promise<void> {
  const { bundle, logPath, from, stdin, leavesWithInput, ended } = target;
  const sent = new AbortController();
  const input =
    stdin && session.stdin ? sendInput(bundle, session.stdin, () => sent.abort()) : undefined;
  const left = leavesWithInput ? AbortSignal.any([ended, sent.signal]) : ended;
  try {
    const lines = new LogLines(0);
    const options = { from, follow: true, ended: left, signal: session.signal };
    for await (const bytes of logFile(logPath).read(options))
      for (const piece of lines.add(bytes)) await session[piece.stream]?.(piece.bytes);
  } finally {
    input?.close();
  }
}

function sendInput(
  bundle: string,
  stdin: AsyncIterable<Uint8Array>,
  onSent: () => void,
): { close(): void } {
  // A relative path: the address of a socket may have 107 bytes only.
  const child = spawned(
    spawn("socat", ["-u", "-", "UNIX-CONNECT:attach,type=5"], {
      cwd: bundle,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: process.env.PATH },
    }),
    "socat",
  );
  child.on("error", () => {});
  child.on("close", onSent);
  void writeAll(child.stdin, stdin);
  return { close: () => child.kill("SIGKILL") };
}
