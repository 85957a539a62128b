import { once } from "node:events";
import type { Socket } from "node:net";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import { resourcePath } from "../../client/resource-path.ts";
import { PortForwardClient } from "../../cri/streaming/port-forward-client.ts";
import { dialSocket } from "../../platform/dial-socket.ts";
import type { Backend } from "./forwarded-ports.ts";

/** Connects clients to backends; a backend that does not accept connections rejects before anything was sent. */
export type ConnectBackend = (
  client: Socket,
  backend: Backend,
  signal: AbortSignal,
) => Promise<void>;

/** Connects to the addresses of pods, where this machine has routes to them. */
export const connectDirectly: ConnectBackend = async (client, { address, port }, signal) => {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  const socket = await dialSocket(
    { host: address, port },
    { signal: deadline, allowHalfOpen: true },
  );
  client.on("error", () => socket.destroy()).on("close", () => socket.destroy());
  socket.on("error", () => client.resetAndDestroy()).on("close", () => client.destroySoon());
  client.pipe(socket).pipe(client);
};

/** Has the API server forward a port of the pod; endpoints that are no pods are connected to directly. */
export const connectThroughApi =
  (dial: DialStreams): ConnectBackend =>
  async (client, backend, signal) => {
    if (!backend.pod) return connectDirectly(client, backend, signal);
    const pod = await PortForwardClient.dial(
      resourcePath(Pod, { ...backend.pod, subresource: "portforward" }),
      { dial, signal },
    );
    const ended = new AbortController();
    client.on("error", () => {}).on("close", () => ended.abort());
    try {
      await pod.forward(backend.port, {
        // A client that has sent all still reads.
        input: client.iterator({ destroyOnReturn: false }),
        async output(bytes) {
          if (!client.write(bytes)) await once(client, "drain", { signal: ended.signal });
        },
        signal: AbortSignal.any([signal, ended.signal]),
      });
      client.end();
    } catch (error) {
      const hasLeft = client.destroyed;
      client.resetAndDestroy();
      if (!hasLeft) throw error;
    } finally {
      await pod.close();
    }
  };

/** A pod whose address leads nowhere must not keep its client waiting when there are others. */
const connectMs = 3000;
