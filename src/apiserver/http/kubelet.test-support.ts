import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createHttpServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { noLog } from "../../base/log.ts";
import type { Network } from "../../base/network.ts";
import type { Pki } from "../../platform/pki/pki.ts";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { realNetwork } from "../../platform/real-network.ts";
import { openServer, send, wallClock } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import type { ApiServerOptions } from "../server-options.ts";
import { type Listener, listen } from "./listen.ts";

export type { IncomingMessage, ServerResponse };

/** Something that listens on this machine, as a kubelet or a pod. */
export interface Listening {
  readonly port: number;
  /** Who vouches for it. */
  readonly ca: string;
}

export type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const identity = selfSigned();

/** A server of the test's own; it ends with the test. */
export async function listening(
  answer: RequestListener,
  {
    isSecure = true,
    onUpgrade,
    tls = identity,
  }: { isSecure?: boolean; onUpgrade?: OnUpgrade; tls?: ServerOptions } = {},
): Promise<Listening> {
  const server = isSecure ? createServer(tls, answer) : createHttpServer(answer);
  if (onUpgrade) server.on("upgrade", onUpgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, ca: identity.cert };
}

/** The address of pods in tests, which is this machine's. */
export const podIp = "10.1.2.3";

/** The machine's network, on which that address is known. */
export const testNetwork: Network = {
  ...realNetwork,
  dial: (target, signal) =>
    realNetwork.dial(target.host === podIp ? { ...target, host: "127.0.0.1" } : target, signal),
};

/** An API server that reaches what listens on this machine; it ends with the test. */
export async function connectedServer(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  const server = await openServer(wallClock, undefined, { network: testNetwork, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Serves an API server on a port; that ends with the test. */
export async function listenTo(
  { handle }: ApiServer,
  { apiserver, ca }: Pick<Pki, "apiserver" | "ca">,
): Promise<Listener> {
  const tls = { ...apiserver, ca: ca.cert };
  const listener = await listen({ host: "127.0.0.1", port: 0, tls, handler: handle, log: noLog });
  onTestFinished(() => listener.close(0));
  return listener;
}

/** Makes a node whose kubelet listens on a port, and a pod `web` on it. */
export async function addPod(
  server: ApiServer,
  port: number,
  { containers = ["main"], nodeName = "n1", status = {} } = {},
): Promise<void> {
  await addNode(server, port);
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: {
      ...(nodeName !== "" && { nodeName }),
      containers: containers.map((name) => ({ name, image: "i" })),
    },
  };
  await must(server, "POST", "/api/v1/namespaces/default/pods", pod);
  await must(server, "PUT", "/api/v1/namespaces/default/pods/web/status", { ...pod, status });
}

/** Makes the node `n1`. */
export async function addNode(server: ApiServer, port: number, address = "127.0.0.1") {
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1" },
    status: {
      addresses: [{ type: "InternalIP", address }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  };
  await must(server, "POST", "/api/v1/nodes", node);
  await must(server, "PUT", "/api/v1/nodes/n1/status", node);
}

/** Sends a request that has to succeed. */
export async function must(server: ApiServer, method: string, path: string, body: object) {
  const answer = await send(server, { method, path, body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.text}`);
}
