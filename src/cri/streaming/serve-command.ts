import type { ByteStream } from "../../base/network.ts";
import type { StreamSession } from "../streams.ts";
import {
  type CommandStatus,
  type CommandVerb,
  exitStatus,
  failureStatus,
} from "./command-status.ts";
import { terminalSizes } from "./terminal-sizes.ts";

/** Which streams a client of exec or attach wants. */
export interface CommandOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** Never with a terminal, which has one output only. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** A command, or the attachment to a container, that a client asks for. */
export interface RemoteCommand {
  readonly verb: CommandVerb;
  readonly options: CommandOptions;
  /** Runs it with these streams; resolves with its exit code. */
  readonly run: (session: StreamSession) => Promise<number>;
}

/** The streams of a client, through either protocol. */
export interface CommandStreams {
  readonly stdin?: ByteStream | undefined;
  readonly stdout?: ByteStream | undefined;
  readonly stderr?: ByteStream | undefined;
  readonly resize?: ByteStream | undefined;
  readonly error: ByteStream;
  /** Whether the error stream gets a Status as JSON; older clients get the text of failures only. */
  readonly hasStatus: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Runs a command with the streams of a client, and sends its result. */
export async function serveCommand(
  streams: CommandStreams,
  { verb, run }: RemoteCommand,
): Promise<void> {
  const { stdin, stdout, stderr, resize, error, hasStatus, signal } = streams;
  const status = await resultOf(verb, () =>
    run({
      ...(stdin && { stdin: piecesOf(stdin) }),
      ...(stdout && { stdout: (bytes) => stdout.write(bytes) }),
      ...(stderr && { stderr: (bytes) => stderr.write(bytes) }),
      ...(resize && { resize: terminalSizes(resize) }),
      signal,
    }),
  );
  const text = hasStatus ? JSON.stringify(status) : status.message;
  try {
    await stdout?.end();
    await stderr?.end();
    if (text !== undefined) await error.write(new TextEncoder().encode(text));
    await error.end();
  } catch {
    // The client has disconnected.
  }
  await streams.close();
}

async function resultOf(verb: CommandVerb, run: () => Promise<number>): Promise<CommandStatus> {
  try {
    const code = await run();
    // The exit code of the container is not that of the attachment.
    return exitStatus(verb === "exec" ? code : 0);
  } catch (error) {
    return failureStatus(verb, error);
  }
}

/** What a stream receives; a broken connection ends it, too. */
async function* piecesOf(stream: ByteStream): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await stream.read().catch(() => undefined);
    if (!bytes) return;
    yield bytes;
  }
}
