import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { LocalListener } from "./local-listener.ts";
import type { ListenerOptions } from "./tcp-listener.ts";

/** One client of UDP, as long as it stays with its backend. */
interface Flow {
  readonly socket: Socket;
  readonly backend: string;
  timer: NodeJS.Timeout;
}

/** Listens for UDP at a port of 127.0.0.1; a client keeps its backend while it sends and the backend is ready. */
export function listenUdp(port: number, options: ListenerOptions): Promise<LocalListener> {
  const { backends, random, failed } = options;
  const server = createSocket("udp4");
  const flows = new Map<string, Flow>();
  const end = (key: string): void => {
    const flow = flows.get(key);
    if (!flow) return;
    clearTimeout(flow.timer);
    flows.delete(key);
    flow.socket.close();
  };
  const open = (key: string, from: RemoteInfo): Flow | undefined => {
    const ready = backends();
    const chosen = ready[Math.floor(random.next() * ready.length)];
    if (!chosen || flows.size >= mostFlows) return undefined;
    const socket = createSocket(isIPv6(chosen.address) ? "udp6" : "udp4");
    socket.on("message", (bytes) => server.send(bytes, from.port, from.address));
    socket.on("error", (error) => {
      end(key);
      failed(error);
    });
    socket.connect(chosen.port, chosen.address);
    const flow = {
      ...{ socket, backend: `${chosen.address} ${chosen.port}` },
      timer: setTimeout(() => end(key), idleMs),
    };
    flow.timer.unref();
    flows.set(key, flow);
    return flow;
  };
  server.on("message", (bytes, from) => {
    const key = `${from.address} ${from.port}`;
    const before = flows.get(key);
    const isReady = backends().some((one) => `${one.address} ${one.port}` === before?.backend);
    if (before && !isReady) end(key);
    const flow = flows.get(key) ?? open(key, from);
    if (!flow) return;
    flow.timer.refresh();
    const send = (): void => flow.socket.send(bytes);
    if (isConnected(flow.socket)) send();
    else flow.socket.once("connect", send);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.bind(port, "127.0.0.1", () => {
      server.off("error", reject).on("error", failed);
      resolve({
        port: server.address().port,
        close() {
          for (const key of flows.keys()) end(key);
          server.close();
        },
      });
    });
  });
}

function isConnected(socket: Socket): boolean {
  try {
    socket.remoteAddress();
    return true;
  } catch {
    return false;
  }
}

const idleMs = 60_000;
/** Each client has a socket of its own. */
const mostFlows = 1000;
