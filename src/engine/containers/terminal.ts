import type { StreamSession, TerminalSize } from "../../cri/streams.ts";
import type { ExecEnd, ExecRun } from "./exec.ts";

/** Runs an OCI runtime whose streams are a terminal, with the output in one stream. */
export async function runInTerminal(run: ExecRun, session: StreamSession): Promise<ExecEnd> {
  const { program, args, command, files } = run;
  // Loaded on first use: most commands need no terminal.
  const { spawn } = await import("@lydell/node-pty");
  const { width = 80, height = 24 } = command.size ?? {};
  const terminal = spawn(program, [...args], {
    cols: width,
    rows: height,
    encoding: null,
    env: { PATH: process.env.PATH },
  });
  const held: string[] = [];
  let writing = Promise.resolve();
  let waiting = 0;
  terminal.onData((data) => {
    const bytes = data as unknown as Buffer;
    const pid = files.startedPid();
    if (pid === undefined) held.push(bytes.toString());
    waiting += bytes.length;
    if (waiting > most) terminal.pause();
    writing = writing.then(async () => {
      await session.stdout?.(bytes).catch(() => {});
      waiting -= bytes.length;
      if (waiting <= most) terminal.resume();
    });
  });
  const code = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
  });
  // The types say string; bytes pass unchanged.
  void each(session.stdin, (bytes) => terminal.write(Buffer.from(bytes) as unknown as string));
  void each(session.resize, ({ width: columns, height: rows }: TerminalSize) => {
    if (columns > 0 && rows > 0) terminal.resize(columns, rows);
  });
  const ended = await code;
  await writing;
  return { code: ended, errors: held.join("") };
}

/** How many bytes may wait for a client before the terminal is paused. */
const most = 1 << 18;

async function each<T>(
  items: AsyncIterable<T> | undefined,
  take: (item: T) => void,
): Promise<void> {
  try {
    for await (const item of items ?? []) take(item);
  } catch {
    // The client has disconnected, or the terminal is gone.
  }
}
