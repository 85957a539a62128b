import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { selfSigned } from "../../platform/real-network.test-support.ts";

/** A kubelet that runs `cat` in every container, as remote commands of version 5 have it. */
export interface ExecKubelet {
  readonly port: number;
  /** Paths and queries that it was asked for. */
  readonly asked: string[];
  close(): void;
}

/** The numbers of the channels of a remote command. */
const channels = { stdin: 0, stdout: 1, error: 3, close: 255 } as const;

export async function startExecKubelet(): Promise<ExecKubelet> {
  const asked: string[] = [];
  const server = createServer(selfSigned(), (request, response) => {
    asked.push(request.url ?? "");
    const isFollowed = request.url?.includes("follow=true") ?? false;
    response.write("first line\n");
    if (!isFollowed) response.end("last line\n");
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (protocols) => protocols.has("v5.channel.k8s.io") && "v5.channel.k8s.io",
  });
  server.on("upgrade", (request, socket, head) => {
    asked.push(request.url ?? "");
    sockets.handleUpgrade(request, socket, head, cat);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close() {
      sockets.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Gives back what it is given, until that ends. */
function cat(socket: WebSocket): void {
  socket.on("message", (data) => {
    const [channel, ...bytes] = data as Buffer;
    if (channel === channels.stdin) socket.send(Uint8Array.of(channels.stdout, ...bytes));
    if (channel !== channels.close) return;
    const status = Buffer.from('{"metadata":{},"status":"Success"}');
    socket.send(Uint8Array.of(channels.error, ...status));
    socket.close(1000);
  });
}
