import { mkdtemp } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../test/each.ts";
import { sendRequest } from "../../apiserver/connect/http-client.ts";
import { readBodyText } from "../../apiserver/connect/read-body-text.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { httpProxy } from "../../kubeconfig/proxies/proxy-server.test-support.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { createGrpcServer, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { connectProxy, konnectivityServer } from "./egress-proxies.test-support.ts";
import { noPacket, proxyStream } from "./konnectivity-messages.ts";
import { openEgress } from "./open-egress.ts";
import type { EgressRoute } from "./read-egress.ts";

const pair = selfSigned();
const long = "x".repeat(300_000);

interface Proxied {
  readonly route: EgressRoute;
  readonly asked: readonly string[];
}

const folder = await mkdtemp(join(tmpdir(), "egress-"));
let sockets = 0;
const newSocket = () => join(folder, String(++sockets));

const proxies: Readonly<Record<string, () => Promise<Proxied>>> = {
  async "HTTPConnect over TCP"() {
    const { port, asked } = await httpProxy();
    return { asked, route: { protocol: "http_connect", host: "127.0.0.1", port } };
  },
  async "HTTPConnect over TCP with TLS"() {
    const { port, asked } = await httpProxy({ tls: pair });
    const tls = { ...pair, ca: pair.cert };
    return { asked, route: { protocol: "http_connect", host: "127.0.0.1", port, tls } };
  },
  async "HTTPConnect over a socket"() {
    const socket = newSocket();
    return { ...(await connectProxy(socket)), route: { protocol: "http_connect", socket } };
  },
  async "GRPC over a socket"() {
    const socket = newSocket();
    return { ...(await konnectivityServer(socket)), route: { protocol: "grpc", socket } };
  },
};

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const never = new AbortController().signal;
const within = (name: string) =>
  each<[secure: string]>([["TLS"], ["no TLS"]])(
    `openEgress: ${name} carries %s`,
    async (secure) => {
      const { route, asked } = await (proxies[name] as () => Promise<Proxied>)();
      const isSecure = secure === "TLS";
      const respond: Parameters<typeof createHttpServer>[1] = (_, response) => response.end(long);
      const port = await listening(
        isSecure ? createHttpsServer(pair, respond) : createHttpServer(respond),
      );
      const { networks, dials } = openEgress({ cluster: route, controlplane: route });
      const target = { host: "127.0.0.1", port, ...(isSecure && { tls: { ca: pair.cert } }) };
      const stream = await networks.cluster?.dial(target, never);
      if (!stream) throw new Error("there is no network");
      const headers = [["Host", "x"]] as const;
      const { body } = await sendRequest(stream, { method: "GET", target: "/", headers });
      expect(await readBodyText(body, 1e6)).toBe(long);
      stream.destroy();

      const transport = httpsTransport({
        server: `${isSecure ? "https" : "http"}://127.0.0.1:${port}`,
        authorities: async () => pair.cert,
        dial: dials.controlPlane,
      });
      const call = { method: "GET", path: "/", query: "", headers: {} } as const;
      expect((await transport(call)).status).toBe(200);
      transport.close();
      expect(asked.map((place) => place.replace(/^CONNECT /, ""))).toEqual([
        `127.0.0.1:${port}`,
        `127.0.0.1:${port}`,
      ]);
    },
  );
for (const name of Object.keys(proxies)) within(name);

const refused = { host: "127.0.0.1", port: 1 };
const dialled = async (route: EgressRoute): Promise<string> => {
  const egress = openEgress({ cluster: route });
  const registry = new MetricsRegistry();
  const error = await egress.networks.cluster
    ?.dial(refused, never)
    .catch(({ message }: Error) => message);
  egress.observe(registry);
  const lines = registry
    .text()
    .split("\n")
    .filter((line) => /^apiserver_egress.*(total|count)\{/.test(line));
  return [String(error), ...lines.map((line) => line.replace("apiserver_egress_dialer_", ""))].join(
    "\n",
  );
};

test("openEgress: what a proxy refuses is an error, and counted", async () => {
  const socket = newSocket();
  await connectProxy(socket);
  expect(await dialled({ protocol: "http_connect", socket })).toBe(
    `proxy error from ${socket} while dialing 127.0.0.1:1, code 503: 503 Service Unavailable
dial_failure_count{protocol="http_connect",stage="proxy",transport="uds"} 1
dial_start_total{protocol="http_connect",transport="uds"} 1`,
  );
  const served = newSocket();
  await konnectivityServer(served);
  expect(await dialled({ protocol: "grpc", socket: served })).toBe(
    `dial: ECONNREFUSED
dial_failure_count{protocol="grpc",stage="proxy",transport="uds"} 1
dial_start_total{protocol="grpc",transport="uds"} 1`,
  );
});

test("openEgress: a proxy that is not there is an error, and counted", async () => {
  expect(await dialled({ protocol: "http_connect", socket: "/nope" })).toBe(
    `dial unix /nope: connect: no such file or directory
dial_failure_count{protocol="http_connect",stage="connect",transport="uds"} 1
dial_start_total{protocol="http_connect",transport="uds"} 1`,
  );
  expect(await dialled({ protocol: "http_connect", host: "127.0.0.1", port: 1 })).toBe(
    `dial tcp 127.0.0.1:1: connect: connection refused
dial_failure_count{protocol="http_connect",stage="connect",transport="tcp"} 1
dial_start_total{protocol="http_connect",transport="tcp"} 1`,
  );
  expect(await dialled({ protocol: "grpc", socket: "/nope" })).toContain('stage="connect"');
});

test("openEgress: a dial through a konnectivity server can be given up", async () => {
  const socket = newSocket();
  await konnectivityServer(socket);
  const silent = await listening(createHttpServer());
  const { networks } = openEgress({ cluster: { protocol: "grpc", socket } });
  const ending = new AbortController();
  const tls = { ca: pair.cert };
  const dialling = networks.cluster?.dial({ host: "127.0.0.1", port: silent, tls }, ending.signal);
  ending.abort(new Error("given up"));
  await expect(dialling).rejects.toThrow("given up");
});

each<[name: string, isSecure: boolean]>([
  ["HTTPConnect over TCP", true],
  ["HTTPConnect over a socket", false],
  ["GRPC over a socket", true],
  ["GRPC over a socket", false],
])("openEgress: %s carries gRPC (TLS: %s)", async (name, isSecure) => {
  const { route, asked } = await (proxies[name] as () => Promise<Proxied>)();
  const server = createGrpcServer({
    handlers: [unaryHandler(proxyStream, async (packet) => packet)],
    ...{ maxMessageBytes: 1e6, tls: isSecure ? pair : undefined },
  });
  const address = `127.0.0.1:${await listening(server as unknown as Server)}`;
  const { dials } = openEgress({ etcd: route });
  const tls = isSecure ? { ca: pair.cert } : undefined;
  const client = createGrpcClient({ address, tls, dial: dials.etcd });
  onTestFinished(() => client.close());
  const packet = { type: 4, data: { connectID: 1n, error: "", data: Buffer.from(long) } };
  const echoed = await client.unary(proxyStream, { ...noPacket, ...packet });
  expect(Buffer.from(echoed.data?.data ?? []).toString()).toBe(long);
  expect(asked.map((place) => place.replace(/^CONNECT /, ""))).toEqual([address]);
});
