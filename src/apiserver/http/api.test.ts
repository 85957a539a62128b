import { once } from "node:events";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { openServer } from "../in-process.test-support.ts";
import { apiSuite } from "../suite/api-suite.ts";
import { newYear, type WireAnswer, type WireRequest } from "../suite/harness-suite.ts";
import { pki } from "./clients.test-support.ts";
import { listen } from "./listen.ts";

/** A way to send requests to a port, with or without the administrator's certificate. */
interface Client {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

for (const [name, connectTo] of [
  ["HTTP/1.1", http1Client],
  ["HTTP/2", http2Client],
] as const)
  apiSuite(name, {
    async open(before) {
      const clock = new VirtualClock(newYear);
      const store = new MemoryStore(clock);
      await before(store);
      const server = await openServer(clock, store);
      const tls = { ...pki.apiserver, ca: pki.ca.cert };
      const address = { host: "127.0.0.1", port: 0 };
      const listener = await listen({ ...address, tls, handler: server.handle, log: noLog });
      const client = connectTo(listener.port);
      return {
        store,
        clock,
        send: (request) => client.send(request),
        async close() {
          client.close();
          server.close();
          await listener.close(0);
          await store.close();
        },
      };
    },
  });

function http1Client(port: number): Client {
  const tls = { host: "127.0.0.1", port, ca: pki.ca.cert };
  const admin = new Agent({ keepAlive: true, ...pki.admin });
  const anonymous = new Agent({ keepAlive: true });
  return {
    send: ({ method, path, headers, body, anonymous: isAnonymous }) =>
      new Promise((resolve, reject) => {
        const agent = isAnonymous ? anonymous : admin;
        // Node would send the body of a DELETE without saying how long it is.
        const length = body && { "content-length": String(body.length) };
        const head = { agent, method, path, headers: { ...headers, ...length } };
        const sent = httpsRequest({ ...tls, ...head }, (response) => {
          resolve({
            status: response.statusCode ?? 0,
            headers: joined(response.headers),
            chunks: response,
          });
        });
        sent.on("error", reject).end(body);
      }),
    close() {
      admin.destroy();
      anonymous.destroy();
    },
  };
}

function http2Client(port: number): Client {
  const open = (identity: object): ClientHttp2Session =>
    connect(`https://127.0.0.1:${port}`, { ca: pki.ca.cert, ...identity });
  let admin: ClientHttp2Session | undefined;
  let anonymous: ClientHttp2Session | undefined;
  return {
    async send({ method, path, headers, body, anonymous: isAnonymous = false }) {
      if (isAnonymous) anonymous ??= open({});
      else admin ??= open(pki.admin);
      const session = (isAnonymous ? anonymous : admin) as ClientHttp2Session;
      const stream = session.request(
        { ":method": method, ":path": path, ...headers },
        { endStream: body === undefined },
      );
      if (body !== undefined) stream.end(body);
      const [head] = (await once(stream, "response")) as [IncomingHttpHeaders];
      return { status: Number(head[":status"]), headers: joined(head), chunks: stream };
    },
    close() {
      admin?.destroy();
      anonymous?.destroy();
    },
  };
}

const joined = (headers: IncomingHttpHeaders | NodeJS.Dict<string | string[]>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
