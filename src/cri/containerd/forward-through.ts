import type { ByteStream } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { type DialStreams, StreamResetError } from "../../base/stream-connection.ts";
import { RuntimeError } from "../runtime-service.ts";
import type { ForwardSession } from "../streams.ts";

/** A connection to forward, and the port that it is for. */
export interface ForwardedPort extends ForwardSession {
  readonly port: number;
}

/** Connects a client to a port of a pod, at the address that a runtime has given for it. */
export async function forwardThrough(
  address: string,
  { port, input, output, signal }: ForwardedPort,
  dial: DialStreams,
): Promise<void> {
  const { connection } = await dial(address, { protocols: ["portforward.k8s.io"], signal });
  const unfollow = onAbort(signal, () => void connection.close());
  const open = (streamtype: string): Promise<ByteStream> =>
    connection.open({ streamtype, port: String(port), requestid: "0" });
  try {
    const error = await open("error");
    const data = await open("data");
    // Nothing is sent in this direction.
    await error.end();
    // The pod may close its side without reading everything.
    void send(input, data).catch(() => undefined);
    const why: Uint8Array[] = [];
    await Promise.all([
      receive(data, output),
      receive(error, async (bytes) => void why.push(bytes)),
    ]);
    const text = why.map((bytes) => new TextDecoder().decode(bytes)).join("");
    if (text !== "") throw new RuntimeError("Unknown", text);
  } finally {
    unfollow();
    await connection.close();
    signal.throwIfAborted();
  }
}

async function send(input: AsyncIterable<Uint8Array>, stream: ByteStream): Promise<void> {
  for await (const bytes of input) await stream.write(bytes);
  await stream.end();
}

/** Reads a stream to its end; some runtimes reset it instead of ending it. */
async function receive(
  stream: ByteStream,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for (;;) {
    const bytes = await stream.read().catch((error: unknown) => {
      if (!(error instanceof StreamResetError)) throw error;
    });
    if (!bytes) return;
    await write(bytes);
  }
}
