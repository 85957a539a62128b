import { spawn } from "node:child_process";
import { onAbort } from "../../base/on-abort.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { ForwardSession } from "../../cri/streams.ts";
import { spawned } from "../../platform/spawned.ts";
import { writeAll } from "../containers/write-all.ts";

/**
 * Connects a client to a port of a network namespace's loopback. socat does it: a process that enters another
 * network namespace must not be the engine.
 */
export async function forwardPort(
  namespace: string | undefined,
  port: number,
  session: ForwardSession,
): Promise<void> {
  const socat = ["socat", "-", `TCP:localhost:${port},keepalive`];
  const enter = namespace === undefined ? [] : ["nsenter", `--net=${namespace}`];
  const [program = "socat", ...args] = [...enter, ...socat];
  const child = spawned(
    spawn(program, args, { stdio: "pipe", env: { PATH: process.env.PATH } }),
    program,
  );
  let errors = "";
  child.stderr.on("data", (bytes: Buffer) => {
    if (errors.length < longest) errors += bytes;
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", (cause) => reject(new Error(`cannot run ${program}`, { cause })));
    child.on("close", (code) => resolve(code ?? 255));
  });
  const stopListening = onAbort(session.signal, () => child.kill("SIGKILL"));
  try {
    void writeAll(child.stdin, session.input);
    for await (const bytes of child.stdout) await session.output(bytes as Buffer);
    if ((await ended) !== 0 && !session.signal.aborted)
      throw new RuntimeError(
        "Unknown",
        `failed to execute portforward for port ${port}: ${errors.trim()}`,
      );
  } finally {
    stopListening();
    child.kill("SIGKILL");
  }
}

const longest = 1 << 12;
