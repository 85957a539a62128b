import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { noLog } from "../../base/log.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import type { Client } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { hostAddress } from "../../platform/host-address.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { type LocalPort, openUserspaceProxy } from "./userspace-proxy.ts";

const namespace = "default";

/** A proxy of the services of a cluster, and what it has told last. */
async function openProxy(more: { readonly services?: string[]; readonly dial?: DialStreams } = {}) {
  const cluster = await startCluster({ namespace });
  onTestFinished(() => cluster.close());
  const { client } = cluster;
  const common = { clock: realClock, random: systemRandom, log: noLog };
  const informers = createInformers({ client, ...common });
  let ports: readonly LocalPort[] = [];
  const proxy = openUserspaceProxy({
    ...{ informers, ...common, services: [], ...more },
    changed: (now) => {
      ports = now;
    },
  });
  onTestFinished(async () => {
    await proxy.close();
    informers.close();
  });
  return {
    client,
    proxy,
    /** The local port of a port of a service, once it has this many endpoints. */
    local: (service: string, port: number, backends: number) =>
      eventually(() => {
        const found = ports.find((one) => one.service === service && one.port === port);
        expect(found).toMatchObject({ backends: { length: backends } });
        return found?.localPort;
      }),
    names: () => [...new Set(ports.map(({ service }) => service))],
  };
}

async function createService(client: Client, name: string, ports: readonly object[]) {
  const labels = { [serviceNameLabel]: name };
  await client.create(Service, { metadata: { namespace, name }, spec: { ports } } as never);
  await client.create(EndpointSlice, {
    metadata: { namespace, name, labels },
    addressType: "IPv4",
    ports: [],
    endpoints: [],
  });
}

async function writeEndpoints(
  client: Client,
  name: string,
  endpoints: readonly {
    readonly protocol: string;
    readonly port: number;
    readonly isReady?: boolean;
  }[],
) {
  await client.patch(EndpointSlice, { namespace, name }, {
    merge: {
      ports: endpoints.map(({ protocol, port }) => ({
        name: protocol.toLowerCase(),
        protocol,
        port,
      })),
      endpoints: endpoints.length > 0 ? [{ addresses: [own], conditions: { ready: true } }] : [],
    },
  } as never);
}

/** Endpoints cannot have loopback addresses. */
const own = hostAddress() ?? "";

/** A server that responds with its name to whatever a client has sent until it sends no more. */
async function serveTcp(name: string): Promise<number> {
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    let size = 0;
    socket.on("data", (bytes) => {
      size += bytes.length;
    });
    socket.on("end", () => socket.end(`${name} got ${size}`));
  }).listen(0, own);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return portOf(server);
}

async function serveUdp(name: string): Promise<number> {
  const socket = createSocket("udp4");
  socket.on("message", (bytes, { port, address }) =>
    socket.send(`${name} ${bytes}`, port, address),
  );
  onTestFinished(() => void socket.close());
  await new Promise<void>((resolve) => socket.bind(0, own, resolve));
  return socket.address().port;
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;

async function request(port: number | undefined, bytes = 5): Promise<string> {
  const socket = connect({ port: port ?? 0, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(Buffer.alloc(bytes));
  return String(await buffer(socket));
}

test.skipIf(own === "")(
  "openUserspaceProxy: connections and packets reach the endpoints of a service, and follow its changes",
  async () => {
    const { client, proxy, local } = await openProxy();
    await createService(client, "web", [
      { name: "tcp", protocol: "TCP", port: 8017 },
      { name: "udp", protocol: "UDP", port: 8017 },
    ]);
    const [first, second, udp] = [
      await serveTcp("first"),
      await serveTcp("second"),
      await serveUdp("u"),
    ];
    await writeEndpoints(client, "web", [
      { protocol: "TCP", port: first },
      { protocol: "UDP", port: udp },
    ]);
    const port = await local("default/web", 8017, 1);
    // More than fits into any buffer, and each direction ends on its own.
    expect(await request(port, 20_000_000)).toBe("first got 20000000");
    const socket = createSocket("udp4");
    onTestFinished(() => void socket.close());
    socket.send("hello", port ?? 0, "127.0.0.1");
    const [response] = await once(socket, "message");
    expect(String(response)).toBe("u hello");

    await writeEndpoints(client, "web", [{ protocol: "TCP", port: second }]);
    await eventually(async () => expect(await request(port)).toBe("second got 5"));
    await writeEndpoints(client, "web", []);
    await local("default/web", 8017, 0);
    await expect(request(port)).rejects.toThrow("ECONNRESET");
    await proxy.close();
    await expect(request(port)).rejects.toThrow("ECONNREFUSED");
  },
);

test.skipIf(own === "")(
  "openUserspaceProxy: a port that is taken is replaced by a free one, and only chosen services are forwarded",
  async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { client, local, names } = await openProxy({ services: ["default/b"] });
    for (const name of ["a", "b"])
      await createService(client, name, [{ name: "tcp", protocol: "TCP", port: portOf(taken) }]);
    const server = await serveTcp("b");
    await writeEndpoints(client, "b", [{ protocol: "TCP", port: server }]);
    const port = await local("default/b", portOf(taken), 1);
    expect(port).not.toBe(portOf(taken));
    expect([await request(port), names()]).toEqual(["b got 5", ["default/b"]]);
  },
);

test("openUserspaceProxy: through the API server, ports of UDP are not listened at", async () => {
  const dial: DialStreams = () => Promise.reject(new Error("not dialled"));
  const { client, local } = await openProxy({ dial });
  await createService(client, "dns", [{ name: "udp", protocol: "UDP", port: 53 }]);
  expect(await local("default/dns", 53, 0)).toBeUndefined();
});
