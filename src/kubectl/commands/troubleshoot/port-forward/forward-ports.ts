import type { Socket } from "node:net";
import { onAbort } from "../../../../base/on-abort.ts";
import type { DialStreams } from "../../../../base/stream-connection.ts";
import { PortForwardClient } from "../../../../cri/streaming/port-forward-client.ts";
import { UpgradeError } from "../../../../platform/spdy/dial-upgrade.ts";
import { spdyTunnel } from "../../../../platform/spdy/dial-web-socket.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { isFeatureOff, spdyDialer } from "../../../streams/spdy-dialer.ts";
import { klog } from "../../shared/klog.ts";
import type { ForwardedPort, ListenAddress } from "./forwarded-port.ts";
import { listenLocally } from "./listen-locally.ts";

type ForwardContext = Pick<CommandContext, "factory" | "io" | "env" | "signal">;

export interface ForwardOptions {
  /** The path of the request that begins the connection to a pod. */
  readonly path: string;
  readonly addresses: readonly ListenAddress[];
  readonly ports: readonly ForwardedPort[];
}

/** Forwards ports of this machine to a pod until the signal aborts; throws if the connection to the pod is lost. */
export async function forwardPorts(
  context: ForwardContext,
  { path, addresses, ports }: ForwardOptions,
): Promise<void> {
  const { io, signal } = context;
  const client = await connect(context, path);
  const sockets = new Set<Socket>();
  try {
    const listeners = await listenLocally({
      ...{ addresses, ports, stdout: io.stdout, stderr: io.stderr },
      serve(socket, port) {
        sockets.add(socket);
        io.stdout.write(`Handling connection for ${port.local}\n`);
        void forward(context, client, { socket, port }).finally(() => sockets.delete(socket));
      },
    });
    await Promise.race([ended(signal), ended(client.signal)]);
    listeners.close();
  } finally {
    for (const socket of sockets) socket.destroy();
    await client.close();
  }
  signal.throwIfAborted();
  throw new Error("lost connection to pod");
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => void onAbort(signal, resolve));

async function connect(context: ForwardContext, path: string): Promise<PortForwardClient> {
  const { signal } = context;
  const dial = await dialer(context);
  try {
    return await PortForwardClient.dial(path, { dial, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`error upgrading connection: ${(error as Error).message}`, { cause: error });
  }
}

/** Through a WebSocket if the server has them, through SPDY otherwise. */
async function dialer({ factory, env }: ForwardContext): Promise<DialStreams> {
  const { webSocket } = await factory.streams();
  const spdy = await spdyDialer(factory);
  if (!webSocket || isFeatureOff(env, "KUBECTL_PORT_FORWARD_WEBSOCKETS")) return spdy;
  const tunnel = spdyTunnel(webSocket);
  return async (path, how) => {
    try {
      return await tunnel(path, how);
    } catch (error) {
      if (error instanceof UpgradeError) return spdy(path, how);
      throw error;
    }
  };
}

/** Copies between a connection to this machine and one to the pod. An error of the pod ends the whole command. */
async function forward(
  context: ForwardContext,
  client: PortForwardClient,
  { socket, port }: { readonly socket: Socket; readonly port: ForwardedPort },
): Promise<void> {
  const gone = new AbortController();
  const pair = `${port.local} -> ${port.remote}`;
  socket.on("close", () => gone.abort());
  socket.on("error", () => gone.abort());
  try {
    await client.forward(port.remote, {
      input: socket,
      output: (bytes) => writeTo(socket, bytes),
      signal: gone.signal,
    });
    socket.end();
  } catch (error) {
    if (gone.signal.aborted || context.signal.aborted || client.signal.aborted) return;
    const { message } = error as Error;
    const failure = `an error occurred forwarding ${pair}: ${message}`;
    klog(context, "E", `"Unhandled Error" err=${quote(failure)}`, "portforward.go:413");
    await client.close();
  } finally {
    socket.destroySoon();
  }
}

function writeTo(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(bytes)) {
      resolve();
      return;
    }
    const done = (): void => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}
