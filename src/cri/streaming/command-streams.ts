import type { Clock } from "../../base/clock.ts";
import type { ByteStream } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { AcceptStream, ConnectionStream, ServeStreams } from "../../base/stream-connection.ts";
import type { CommandOptions, CommandStreams } from "./serve-command.ts";

/** The differences of the protocol's versions. */
export interface StreamProtocol {
  readonly hasStatus: boolean;
  readonly hasResize: boolean;
}

export interface AwaitStreamsOptions {
  readonly clock: Clock;
  readonly serveStreams: ServeStreams;
  readonly options: CommandOptions;
  readonly protocol: StreamProtocol;
}

/**
 * Begins SPDY, and waits until the client has opened all streams that the options name, in any order. A client
 * that does not is disconnected after a while.
 */
export async function awaitCommandStreams(
  stream: ByteStream,
  { clock, serveStreams, options, protocol }: AwaitStreamsOptions,
): Promise<CommandStreams | undefined> {
  const { stdin, stdout, stderr, tty } = options;
  const wanted = new Set<string>([
    "error",
    ...(stdin ? ["stdin"] : []),
    ...(stdout ? ["stdout"] : []),
    ...(stderr ? ["stderr"] : []),
    ...(tty && protocol.hasResize ? ["resize"] : []),
  ]);
  const opened = new Map<string, ConnectionStream>();
  let complete = (): void => {};
  const accept: AcceptStream = (one) => {
    const type = one.headers.streamtype ?? "";
    if (!wanted.delete(type)) return false;
    opened.set(type, one);
    if (wanted.size === 0) complete();
    return true;
  };
  const connection = serveStreams(stream, accept);
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(creationTime, resolve);
    complete = () => {
      timer.cancel();
      resolve();
    };
    onAbort(connection.signal, complete);
  });
  const error = opened.get("error");
  if (wanted.size > 0 || !error || connection.signal.aborted) {
    await connection.close();
    return undefined;
  }
  return {
    stdin: opened.get("stdin"),
    stdout: opened.get("stdout"),
    stderr: opened.get("stderr"),
    resize: opened.get("resize"),
    error,
    hasStatus: protocol.hasStatus,
    signal: connection.signal,
    close: () => connection.close(),
  };
}

/** How long a client may take to open its streams. */
const creationTime = 30_000;
