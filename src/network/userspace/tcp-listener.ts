import { createServer, type Socket } from "node:net";
import type { Random } from "../../base/random.ts";
import type { ConnectBackend } from "./backend-connections.ts";
import type { Backend } from "./forwarded-ports.ts";
import type { LocalListener } from "./local-listener.ts";

export interface ListenerOptions {
  readonly backends: () => readonly Backend[];
  readonly random: Random;
  /** Called when a client could not be connected. */
  readonly failed: (error: unknown) => void;
}

export interface TcpListenerOptions extends ListenerOptions {
  readonly connect: ConnectBackend;
}

/** Listens at a port of 127.0.0.1, and connects each client to a backend, to another if one does not respond. */
export function listenTcp(port: number, options: TcpListenerOptions): Promise<LocalListener> {
  const { backends, random, connect, failed } = options;
  const closing = new AbortController();
  const clients = new Set<Socket>();
  const serve = async (client: Socket): Promise<void> => {
    let failure: unknown = new Error("no endpoint is ready");
    for (const backend of shuffled(backends(), random))
      try {
        return await connect(client, backend, closing.signal);
      } catch (error) {
        failure = error;
        if (client.destroyed || client.bytesRead > 0 || client.bytesWritten > 0) break;
      }
    // The client learns that it got no response, rather than an empty one.
    client.resetAndDestroy();
    if (!closing.signal.aborted) failed(failure);
  };
  // Paused: what a client sends is read once it is connected, so that another backend can still get it.
  const how = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true };
  const server = createServer(how, (client) => {
    clients.add(client);
    client.on("error", () => {}).on("close", () => clients.delete(client));
    void serve(client);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const at = server.address();
      resolve({
        port: typeof at === "object" && at ? at.port : port,
        close() {
          closing.abort();
          server.close();
          for (const client of clients) client.destroy();
        },
      });
    });
  });
}

/** The backends in the order in which they are tried. */
function shuffled(backends: readonly Backend[], random: Random): readonly Backend[] {
  const offset = Math.floor(random.next() * backends.length);
  return [...backends.slice(offset), ...backends.slice(0, offset)];
}
