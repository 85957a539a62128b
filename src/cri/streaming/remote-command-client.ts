import type { ByteStream } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import {
  type DialStreams,
  type StreamConnection,
  StreamResetError,
} from "../../base/stream-connection.ts";
import type { StreamSession } from "../streams.ts";
import { exitCodeOf } from "./exit-code.ts";

/** The streams of a command, and whether it has a terminal. */
export interface ClientCommand extends StreamSession {
  readonly tty: boolean;
}

/**
 * Runs a command at the address that a runtime has given for it; resolves with its exit code. The address of an
 * attachment is used in the same way.
 */
export async function execThrough(
  address: string,
  command: ClientCommand,
  dial: DialStreams,
): Promise<number> {
  return exitCodeOf(await runThrough(address, command, dial));
}

/** Runs a command like `execThrough`, in version 4 of the protocol; resolves with the text of its status. */
export async function runThrough(
  address: string,
  command: ClientCommand,
  dial: DialStreams,
): Promise<string> {
  const protocols = ["v4.channel.k8s.io"];
  const { connection } = await dial(address, { protocols, signal: command.signal });
  return runOver(connection, command);
}

async function runOver(connection: StreamConnection, command: ClientCommand): Promise<string> {
  const { stdin, stdout, stderr, tty, signal } = command;
  const unfollow = onAbort(signal, () => void connection.close());
  const open = (streamtype: string): Promise<ByteStream> => connection.open({ streamtype });
  try {
    const streams: ClientStreams = {
      error: await open("error"),
      stdin: stdin && (await open("stdin")),
      stdout: stdout && (await open("stdout")),
      stderr: stderr && !tty ? await open("stderr") : undefined,
      resize: tty ? await open("resize") : undefined,
    };
    return await runClient(streams, command);
  } finally {
    unfollow();
    await connection.close();
    signal.throwIfAborted();
  }
}

/** The streams of a command, as its client sees them. */
export interface ClientStreams {
  readonly error: ByteStream;
  readonly stdin?: ByteStream | undefined;
  readonly stdout?: ByteStream | undefined;
  readonly stderr?: ByteStream | undefined;
  readonly resize?: ByteStream | undefined;
}

/**
 * Copies between the streams of a client and those of its connection, until the command has ended; resolves with the
 * text of its status.
 */
export async function runClient(streams: ClientStreams, command: ClientCommand): Promise<string> {
  const { error, stdin, stdout, stderr, resize } = streams;
  // The command may end without reading its input.
  if (stdin && command.stdin) void send(command.stdin, stdin).catch(() => {});
  if (resize && command.resize) void send(sizesOf(command.resize), resize).catch(() => {});
  const status: Uint8Array[] = [];
  await Promise.all([
    receive(error, async (bytes) => void status.push(bytes)),
    receive(stdout, command.stdout),
    receive(stderr, command.stderr),
  ]);
  const decoder = new TextDecoder();
  const texts = status.map((bytes) => decoder.decode(bytes, { stream: true }));
  return texts.join("") + decoder.decode();
}

async function send(input: AsyncIterable<Uint8Array>, stream: ByteStream): Promise<void> {
  for await (const bytes of input) await stream.write(bytes);
  await stream.end();
}

async function* sizesOf(sizes: NonNullable<StreamSession["resize"]>): AsyncGenerator<Uint8Array> {
  for await (const { width, height } of sizes)
    yield new TextEncoder().encode(`${JSON.stringify({ Width: width, Height: height })}\n`);
}

/** Reads a stream to its end; some runtimes reset it instead of ending it. */
async function receive(
  stream: ByteStream | undefined,
  write: StreamSession["stdout"] = async () => {},
): Promise<void> {
  for (;;) {
    const bytes = await stream?.read().catch((error: unknown) => {
      if (!(error instanceof StreamResetError)) throw error;
    });
    if (!bytes) return;
    await write(bytes);
  }
}
