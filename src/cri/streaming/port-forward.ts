import type { Clock, Timer } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { MessageSocket } from "../../base/http/message-socket.ts";
import type { ByteStream } from "../../base/network.ts";
import { aborted } from "../../base/on-abort.ts";
import type {
  ConnectionStream,
  StreamConnection,
  StreamHeaders,
} from "../../base/stream-connection.ts";
import type { ForwardSession } from "../streams.ts";
import { ChannelSocket, type MessageForm } from "./channel-socket.ts";
import type { StreamingContext } from "./remote-command.ts";
import { streamUpgrade } from "./stream-upgrade.ts";
import {
  isWebSocketRequest,
  type StreamingRequest,
  type StreamingResponse,
} from "./streaming-request.ts";
import { webSocketUpgrade } from "./web-socket-upgrade.ts";

/** The pod whose ports a client wants to reach. */
export interface ForwardTarget {
  /** Its name and uid, or the ID of its sandbox and nothing; only messages contain them. */
  readonly name: string;
  readonly uid: string;
  /** The ports of a client that has a channel for each; others name them later. */
  readonly ports: readonly number[];
  /** Connects to a port; resolves when the connection has ended. */
  readonly forward: (port: number, session: ForwardSession) => Promise<void>;
}

/** Handles port-forward through SPDY, SPDY in a WebSocket, or the channels of a WebSocket. */
export function portForward(
  request: StreamingRequest,
  target: ForwardTarget,
  context: StreamingContext,
): StreamingResponse {
  const serve = (stream: ByteStream): Promise<void> => serveForwards(stream, target, context);
  if (!isWebSocketRequest(request)) return streamUpgrade(request, [protocol], serve);
  return webSocketUpgrade(request, (name) => {
    if (name === `SPDY/3.1+${protocol}`)
      return (stream) => serve(new MessageSocket(stream).asStream());
    const form = channelForms[name];
    return form && ((stream) => serveChannels(stream, target, { form, clock: context.clock }));
  });
}

const protocol = "portforward.k8s.io";
const channelForms: Readonly<Record<string, MessageForm | undefined>> = {
  __proto__: null as never,
  "": "binary",
  "v4.channel.k8s.io": "binary",
  "v4.base64.channel.k8s.io": "base64",
};

/** The data and the error stream of one forwarded connection. */
interface Pair {
  data?: ConnectionStream;
  error?: ConnectionStream;
  readonly timer: Timer;
}

async function serveForwards(
  stream: ByteStream,
  target: ForwardTarget,
  { clock, serveStreams }: StreamingContext,
): Promise<void> {
  const pairs = new Map<string, Pair>();
  const running = new Set<Promise<void>>();
  const connection: StreamConnection = serveStreams(stream, (one) => {
    const port = portOf(one.headers);
    const { streamtype: type } = one.headers;
    if (port === undefined || (type !== "data" && type !== "error")) return false;
    const id = requestId(one);
    const pair = pairs.get(id) ?? { timer: clock.setTimer(creationTime, () => void giveUp(id)) };
    pairs.set(id, pair);
    if (pair[type]) {
      const text = `error processing stream for request ${id}: ${type} stream already assigned`;
      void pair.error?.write(new TextEncoder().encode(text)).catch(() => {});
      return false;
    }
    pair[type] = one;
    const { data, error } = pair;
    if (!data || !error) return true;
    pair.timer.cancel();
    pairs.delete(id);
    const { signal } = connection;
    const forwarding = forwardPair({ data, error, port, signal }, target).finally(() =>
      running.delete(forwarding),
    );
    running.add(forwarding);
    return true;
  });
  const giveUp = async (id: string): Promise<void> => {
    const { error, data } = pairs.get(id) ?? {};
    pairs.delete(id);
    data?.destroy();
    const text = `(request=${id}) timed out waiting for streams`;
    await error?.write(new TextEncoder().encode(text)).catch(() => {});
    error?.destroy();
  };
  await aborted(connection.signal);
  for (const { timer } of pairs.values()) timer.cancel();
  await Promise.all(running);
}

/** How long a client may take to open the second stream of a pair. */
const creationTime = 30_000;

function portOf({ port = "" }: StreamHeaders): number | undefined {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  return number > 0 && number < 65_536 ? number : undefined;
}

/** The request of a stream; old clients name none, but open the error stream right before the data stream. */
const requestId = ({ id, headers }: ConnectionStream): string =>
  headers.requestid || String(headers.streamtype === "data" ? id - 2 : id);

interface Forward {
  readonly data: ByteStream;
  readonly error: ByteStream;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Forwards one connection, and tells the client why it could not. */
async function forwardPair(
  { data, error, port, signal }: Forward,
  { name, uid, forward }: ForwardTarget,
): Promise<void> {
  const broken = new AbortController();
  try {
    await forward(port, {
      input: inputOf(data, broken),
      output: (bytes) => data.write(bytes),
      signal: AbortSignal.any([signal, broken.signal]),
    });
    await data.end();
    await error.end();
  } catch (cause) {
    const text = `error forwarding port ${port} to pod ${name}, uid ${uid}: ${errorMessage(cause)}`;
    await error.write(new TextEncoder().encode(text)).catch(() => {});
    data.destroy();
    error.destroy();
  }
}

/** What the client sends; a reset stream aborts the connection. */
async function* inputOf(stream: ByteStream, broken: AbortController): AsyncGenerator<Uint8Array> {
  try {
    for (let bytes = await stream.read(); bytes; bytes = await stream.read()) yield bytes;
  } catch (error) {
    broken.abort(error);
  }
}

/** Two channels for each port: data, then errors; both begin with the port. */
async function serveChannels(
  stream: ByteStream,
  target: ForwardTarget,
  { form, clock }: { readonly form: MessageForm; readonly clock: Clock },
): Promise<void> {
  const { ports } = target;
  const incoming = ports.map((_, i) => i * 2);
  const socket = new ChannelSocket(new MessageSocket(stream), {
    form,
    incoming,
    hasClose: false,
    clock,
  });
  const { signal } = socket;
  await Promise.all(
    ports.map(async (port, i) => {
      const data = socket.channel(i * 2);
      const error = socket.channel(i * 2 + 1);
      for (const channel of [data, error])
        await channel.write(Uint8Array.of(port & 255, port >> 8)).catch(() => {});
      await forwardPair({ data, error, port, signal }, target);
    }),
  );
  await socket.close();
}
