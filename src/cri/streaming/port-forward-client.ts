import { onAbort } from "../../base/on-abort.ts";
import {
  type ConnectionStream,
  type DialStreams,
  type StreamConnection,
  StreamResetError,
} from "../../base/stream-connection.ts";
import type { ForwardSession } from "../streams.ts";

/** A connection to a pod, through which any number of connections to its ports are forwarded. */
export class PortForwardClient {
  readonly #connection: StreamConnection;
  #nextRequest = 0;

  private constructor(connection: StreamConnection) {
    this.#connection = connection;
  }

  /** Connects to the address that a runtime has given for a pod. */
  static async dial(
    address: string,
    { dial, signal }: { readonly dial: DialStreams; readonly signal: AbortSignal },
  ): Promise<PortForwardClient> {
    const { connection } = await dial(address, { protocols: ["portforward.k8s.io"], signal });
    return new PortForwardClient(connection);
  }

  /** Aborted when the connection has ended. */
  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  /** Connects to a port; resolves when the pod has closed the connection. */
  async forward(port: number, { input, output, signal }: ForwardSession): Promise<void> {
    const headers = { port: String(port), requestid: String(this.#nextRequest++) };
    const error = await this.#connection.open({ ...headers, streamtype: "error" });
    await error.end();
    const failure = textOf(error);
    failure.catch(() => {});
    const data = await this.#connection.open({ ...headers, streamtype: "data" });
    const unfollow = onAbort(signal, () => data.destroy());
    try {
      void send(input, data).catch(() => data.destroy());
      for (let bytes = await next(data); bytes; bytes = await next(data)) await output(bytes);
    } finally {
      unfollow();
      data.destroy();
    }
    signal.throwIfAborted();
    const text = await failure;
    if (text !== "") throw new Error(text);
  }

  /** Closes the connection, and all that are forwarded through it. */
  close(): Promise<void> {
    return this.#connection.close();
  }
}

async function send(input: AsyncIterable<Uint8Array>, data: ConnectionStream): Promise<void> {
  for await (const bytes of input) await data.write(bytes);
  await data.end();
}

/** The next bytes; a reset stream has ended. */
const next = (stream: ConnectionStream): Promise<Uint8Array | undefined> =>
  stream.read().catch((error: unknown) => {
    if (!(error instanceof StreamResetError)) throw error;
    return undefined;
  });

async function textOf(stream: ConnectionStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = await next(stream); bytes; bytes = await next(stream))
    text += decoder.decode(bytes, { stream: true });
  return text;
}
