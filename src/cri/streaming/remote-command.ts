import type { Clock } from "../../base/clock.ts";
import { MessageSocket } from "../../base/http/message-socket.ts";
import type { ByteStream } from "../../base/network.ts";
import type { ServeStreams } from "../../base/stream-connection.ts";
import { ChannelSocket, type MessageForm } from "./channel-socket.ts";
import { commandChannels as channels } from "./command-channels.ts";
import { awaitCommandStreams, type StreamProtocol } from "./command-streams.ts";
import { type RemoteCommand, serveCommand } from "./serve-command.ts";
import { streamUpgrade } from "./stream-upgrade.ts";
import {
  isWebSocketRequest,
  type StreamingRequest,
  type StreamingResponse,
} from "./streaming-request.ts";
import { webSocketUpgrade } from "./web-socket-upgrade.ts";

/** What streaming needs of the program. */
export interface StreamingContext {
  readonly clock: Clock;
  /** Begins the server's side of SPDY. */
  readonly serveStreams: ServeStreams;
}

/** Handles exec and attach through SPDY or a WebSocket, in any version of their protocol. */
export function remoteCommand(
  request: StreamingRequest,
  command: RemoteCommand,
  context: StreamingContext,
): StreamingResponse {
  if (isWebSocketRequest(request))
    return webSocketUpgrade(request, (name) => {
      const protocol = webSocketProtocols[name];
      return protocol && ((stream) => serveWebSocket(stream, command, { ...protocol, ...context }));
    });
  return streamUpgrade(request, Object.keys(streamProtocols), async (stream, name) => {
    const protocol = streamProtocols[name] ?? textOnly;
    const streams = await awaitCommandStreams(stream, { ...context, ...command, protocol });
    if (streams) await serveCommand(streams, command);
  });
}

interface WebSocketProtocol {
  readonly form: MessageForm;
  readonly hasStatus: boolean;
  readonly hasClose: boolean;
}

const binary: WebSocketProtocol = { form: "binary", hasStatus: false, hasClose: false };
const base64: WebSocketProtocol = { ...binary, form: "base64" };
const webSocketProtocols: Readonly<Record<string, WebSocketProtocol | undefined>> = {
  __proto__: null as never,
  "": binary,
  "channel.k8s.io": binary,
  "base64.channel.k8s.io": base64,
  "v4.channel.k8s.io": { ...binary, hasStatus: true },
  "v4.base64.channel.k8s.io": { ...base64, hasStatus: true },
  "v5.channel.k8s.io": { ...binary, hasStatus: true, hasClose: true },
};

const textOnly: StreamProtocol = { hasStatus: false, hasResize: false };
const streamProtocols: Readonly<Record<string, StreamProtocol | undefined>> = {
  "v4.channel.k8s.io": { hasStatus: true, hasResize: true },
  "v3.channel.k8s.io": { hasStatus: false, hasResize: true },
  "v2.channel.k8s.io": textOnly,
  "channel.k8s.io": textOnly,
};

async function serveWebSocket(
  stream: ByteStream,
  command: RemoteCommand,
  { form, hasStatus, hasClose, clock }: WebSocketProtocol & StreamingContext,
): Promise<void> {
  const { stdin, stdout, stderr, tty } = command.options;
  const incoming = [...(stdin ? [channels.stdin] : []), ...(tty ? [channels.resize] : [])];
  const socket = new ChannelSocket(new MessageSocket(stream), {
    form,
    incoming,
    hasClose,
    clock,
  });
  const channel = (number: number): ByteStream => ({
    ...socket.channel(number),
    // Clients know no end of single channels.
    end: async () => {},
  });
  const streams = {
    ...(stdin && { stdin: channel(channels.stdin) }),
    ...(stdout && { stdout: channel(channels.stdout) }),
    ...(stderr && { stderr: channel(channels.stderr) }),
    ...(tty && { resize: channel(channels.resize) }),
    error: channel(channels.error),
    hasStatus,
    signal: socket.signal,
    close: () => socket.close(),
  };
  // An empty message shows that the connection is open.
  const { stdout: lowest = streams.stderr ?? streams.error } = streams;
  await lowest.write(new Uint8Array(0)).catch(() => {});
  await serveCommand(streams, command);
}
