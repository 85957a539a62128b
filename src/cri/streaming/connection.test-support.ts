import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import type { ByteStream } from "../../base/network.ts";
import type {
  AcceptStream,
  ConnectionStream,
  ServeStreams,
  StreamHeaders,
} from "../../base/stream-connection.ts";

/** A client whose streams reach a server in this process, without any protocol between them. */
export interface DirectClient {
  readonly serveStreams: ServeStreams;
  /** Opens a stream; undefined if the server does not accept it. */
  open(headers: StreamHeaders): ByteStream | undefined;
  /** Whether the server has closed the connection. */
  readonly isClosed: boolean;
  disconnect(): void;
}

export function directClient(): DirectClient {
  let accept: AcceptStream = () => false;
  let nextId = 1;
  const gone = new AbortController();
  let isClosed = false;
  return {
    serveStreams(_, given) {
      accept = given;
      return {
        signal: gone.signal,
        open: () => Promise.reject(new Error("a server opens no streams")),
        async close() {
          isClosed = true;
          gone.abort();
        },
      };
    },
    open(headers) {
      const [near, far] = byteStreamPair();
      const stream: ConnectionStream = { ...far, id: nextId, headers };
      nextId += 2;
      return accept(stream) ? near : undefined;
    },
    get isClosed() {
      return isClosed;
    },
    disconnect: () => gone.abort(),
  };
}

/** All that a stream receives, as text; what was received before the stream broke. */
export async function textFrom(stream: ByteStream): Promise<string> {
  let text = "";
  try {
    for (let bytes = await stream.read(); bytes; bytes = await stream.read())
      text += new TextDecoder().decode(bytes);
  } catch {
    // A stream that is reset has ended, too.
  }
  return text;
}
