import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { eventually } from "../../../test/eventually.ts";
import { send, toApiRequest } from "../in-process.test-support.ts";
import {
  addApi,
  addService,
  aggregatingServer,
  apiName,
  apiServices,
  extensionServer,
  group,
  type IncomingMessage,
  json,
  reached,
  registration,
  type ServerResponse,
} from "./extension-server.test-support.ts";
import { must } from "./kubelet.test-support.ts";

const root = `/apis/${group}/v1`;

/** Answers discovery, and requests for objects by the given function. */
const serving =
  (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url === root)
      json(response, { kind: "APIResourceList", groupVersion: `${group}/v1` });
    else if (request.url?.startsWith(`${root}/`)) answer(request, response);
    else json(response, {}, 404);
  };

/** Sends back what arrived. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.setHeader("X-Odd", ["1", "2"]);
    json(response, { method, url, headers, body: Buffer.concat(pieces).toString() });
  });
}

test("a request is proxied with its caller in headers, and without credentials", async () => {
  const server = await aggregatingServer();
  const port = await extensionServer(serving(echo));
  await addApi(server, port);
  await reached(server);
  const { status, headers, text } = await send(server, {
    method: "PATCH",
    path: `${root}/namespaces/default/things/a%20b?y=2&x=%20&x=1`,
    headers: {
      host: "api.example",
      "user-agent": "test",
      "audit-id": "12345",
      authorization: "Bearer secret",
      "x-remote-user": "somebody",
      "x-remote-group": "system:masters",
      "X-Remote-Extra-Role": "root",
      "impersonate-user": Buffer.from("jürgen").toString("latin1"),
      "impersonate-group": "system:masters",
      "impersonate-extra-acme.com%2fproject": "p",
    },
    body: { a: 1 },
  });
  const [{ clusterIP }] = [
    JSON.parse((await send(server, { path: "/api/v1/namespaces/default/services/api" })).text).spec,
  ];
  const seen = JSON.parse(text) as Record<string, unknown>;
  expect({ status, ...seen }).toEqual({
    status: 200,
    method: "PATCH",
    url: `${root}/namespaces/default/things/a%20b?x=+&x=1&y=2`,
    body: '{"a":1}',
    headers: {
      host: `${clusterIP}:${port}`,
      accept: "application/json",
      "content-type": "application/json",
      "content-length": "7",
      "user-agent": "test",
      "audit-id": "12345",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": `${clusterIP}:${port}`,
      "x-forwarded-proto": "https",
      "x-forwarded-uri": `${root}/namespaces/default/things/a%20b`,
      "x-remote-user": Buffer.from("jürgen").toString("latin1"),
      "x-remote-group": "system:masters, system:authenticated",
      "x-remote-extra-acme.com%2fproject": "p",
    },
  });
  expect(headers).toMatchObject({
    "audit-id": "12345",
    "x-odd": ["1", "2"],
    "cache-control": ["no-cache, private"],
  });
});

test("authorization comes before proxying", async () => {
  const server = await aggregatingServer();
  await addApi(server, await extensionServer(serving(echo)));
  await reached(server);
  const { status, text } = await send(server, {
    path: `${root}/things`,
    headers: { "impersonate-user": "a" },
  });
  expect(status).toBe(403);
  expect(JSON.parse(text).message).toBe(
    `things.${group} is forbidden: User "a" cannot list resource "things" in API group "${group}" at the cluster scope`,
  );
});

test("a watch is streamed, and ends at the server when its client leaves", async () => {
  const server = await aggregatingServer();
  let open = 0;
  const port = await extensionServer(
    serving((_, response) => {
      open++;
      response.once("close", () => open--);
      response.writeHead(200, { "content-type": "application/json" }).write('{"type":"ADDED"}\n');
    }),
  );
  await addApi(server, port);
  await reached(server);
  const gone = new AbortController();
  const response = await server.handle(
    toApiRequest({ path: `${root}/things?watch=true`, signal: gone.signal }),
  );
  const events = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const { value } = await events.next();
  expect([response.status, Buffer.from(value).toString(), open]).toEqual([
    200,
    '{"type":"ADDED"}\n',
    1,
  ]);
  gone.abort();
  await eventually(() => expect(open).toBe(0));
});

test("a redirect is rejected, unless configured otherwise", async () => {
  const port = await extensionServer(
    serving((_, response) => response.writeHead(302, { location: "https://elsewhere" }).end("x")),
  );
  const server = await aggregatingServer();
  await addApi(server, port);
  await reached(server);
  const { status, text } = await send(server, { path: `${root}/things` });
  expect([status, text]).toEqual([
    502,
    "the backend attempted to redirect this request, which is not permitted",
  ]);
});

test("a connection is used again", async () => {
  const ports = new Set<number | undefined>();
  const server = await aggregatingServer();
  const port = await extensionServer(
    serving(({ socket }, response) => {
      ports.add(socket.remotePort);
      json(response, {});
    }),
  );
  await addApi(server, port);
  await reached(server);
  for (let i = 0; i < 3; i++) await send(server, { path: `${root}/things` });
  expect(ports.size).toBe(1);
});

test("a connection that changes its protocol is passed through", async () => {
  const seen: Record<string, unknown>[] = [];
  const server = await aggregatingServer();
  const port = await extensionServer(serving(echo), {
    onUpgrade({ headers, url }, socket, head) {
      seen.push({ url, user: headers["x-remote-user"], protocol: headers.upgrade });
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n",
      );
      socket.write(head);
      socket.on("data", (bytes) => socket.write(bytes.toString().toUpperCase()));
    },
  });
  await addApi(server, port);
  await reached(server);
  const response = await server.handle(
    toApiRequest({
      method: "POST",
      path: `${root}/namespaces/default/things/a/exec?command=x`,
      headers: { connection: "Upgrade", upgrade: "SPDY/3.1" },
    }),
  );
  expect([response.status, response.headers.upgrade]).toEqual([101, "SPDY/3.1"]);
  const received: string[] = [];
  let finish = (): void => {};
  const finished = new Promise<undefined>((resolve) => {
    finish = () => resolve(undefined);
  });
  const input = [Buffer.from("hello")];
  await response.takeOver?.({
    read: async () => input.shift() ?? finished,
    async write(bytes) {
      received.push(Buffer.from(bytes).toString());
      finish();
    },
    end: async () => {},
    destroy: () => finish(),
  });
  expect(received).toEqual(["HELLO"]);
  expect(seen).toEqual([
    {
      url: `${root}/namespaces/default/things/a/exec?command=x`,
      user: "admin",
      protocol: "SPDY/3.1",
    },
  ]);
});

type Broken = [
  what: string,
  prepare: (server: Awaited<ReturnType<typeof aggregatingServer>>, port: number) => Promise<void>,
  reason: string,
  message: RegExp,
];
each<Broken>([
  [
    "a service that does not exist",
    (server, port) => must(server, "POST", apiServices, registration(port)),
    "ServiceNotFound",
    /^service\/api in "default" is not present$/,
  ],
  [
    "a port that the service does not have",
    (server, port) =>
      addApi(server, port, { service: { namespace: "default", name: "api", port: 1 } }),
    "ServicePortError",
    /^service\/api in "default" is not listening on port 1$/,
  ],
  [
    "a service without slices",
    async (server, port) => {
      await must(server, "POST", "/api/v1/namespaces/default/services", {
        metadata: { name: "api" },
        spec: { ports: [{ name: "https", port }] },
      });
      await must(server, "POST", apiServices, registration(port));
    },
    "EndpointsNotFound",
    /^cannot find endpointslices for service\/api in "default"$/,
  ],
  [
    "a certificate of another authority",
    (server, port) => addApi(server, port, { caBundle: undefined }),
    "FailedDiscoveryCheck",
    /^failing or missing response from https:\/\/10\.[\d.]+:\d+\/apis\/test\.example\.com\/v1: Get "https:.*": tls: failed to verify certificate: x509: certificate signed by unknown authority/,
  ],
  [
    "a port at which nothing listens",
    (server) => addApi(server, 1),
    "FailedDiscoveryCheck",
    /^failing or missing response from .*: Get ".*": dial tcp .*: connect: connection refused$/,
  ],
])("availability: %s", async (_, prepare, reason, message) => {
  const server = await aggregatingServer();
  await prepare(server, await extensionServer(serving(echo)));
  expect(await reached(server, reason)).toEqual({
    type: "Available",
    status: "False",
    reason,
    message: expect.stringMatching(message) as string,
  });
  const { status, text, headers } = await send(server, { path: `${root}/things` });
  expect([status, text, headers["content-type"]]).toEqual([
    503,
    "service unavailable\n",
    "text/plain; charset=utf-8",
  ]);
});

test("availability: a certificate for another name", async () => {
  const server = await aggregatingServer();
  await addApi(server, await extensionServer(serving(echo), { names: ["other.default.svc"] }));
  const { message } = await reached(server, "FailedDiscoveryCheck");
  expect(message).toContain(
    "x509: certificate is valid for other.default.svc, not api.default.svc",
  );
});

test("availability: follows the registration, and whether certificates are verified", async () => {
  const server = await aggregatingServer();
  const port = await extensionServer(serving(echo), { names: ["other.default.svc"] });
  const unverified = { caBundle: undefined, insecureSkipTLSVerify: true };
  await addApi(server, port, unverified);
  await reached(server);
  expect((await send(server, { path: `${root}/things` })).status).toBe(200);
  const merge = {
    spec: { insecureSkipTLSVerify: null, caBundle: registration(port).spec.caBundle },
  };
  await send(server, {
    method: "PATCH",
    path: `${apiServices}/${apiName}`,
    headers: { "content-type": "application/merge-patch+json" },
    body: merge,
  });
  await reached(server, "FailedDiscoveryCheck");
  expect((await send(server, { path: `${root}/things` })).status).toBe(503);
});

test("availability: follows the service, its slices and the server's responses", async () => {
  let status = 404;
  const server = await aggregatingServer();
  const port = await extensionServer((_, response) => json(response, {}, status));
  await must(server, "POST", apiServices, registration(port));
  await reached(server, "ServiceNotFound");
  await addService(server, port);
  const { message } = await reached(server, "FailedDiscoveryCheck");
  expect(message).toMatch(
    /^failing or missing response from (https:\S+): bad status from \1: 404$/,
  );
  status = 200;
  expect(await reached(server)).toEqual({
    type: "Available",
    status: "True",
    reason: "Passed",
    message: "all checks passed",
  });
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/api-1";
  await send(server, { method: "DELETE", path: slices });
  await reached(server, "EndpointsNotFound");
  const { text } = await send(server, { path: "/metrics" });
  expect(text).toContain(`aggregator_unavailable_apiservice{name="${apiName}"} 1`);
  expect(text).toMatch(
    /aggregator_unavailable_apiservice_total\{name="v1\.test\.example\.com",reason="EndpointsNotFound"\} 1/,
  );
  await send(server, { method: "DELETE", path: `${apiServices}/${apiName}` });
  expect((await send(server, { path: `${root}/things` })).status).toBe(404);
});

test("a server that ends the connection gets an error for the client", async () => {
  const server = await aggregatingServer();
  const port = await extensionServer(serving(({ socket }) => socket.destroy()));
  await addApi(server, port);
  await reached(server);
  const { status, text } = await send(server, { method: "POST", path: `${root}/things`, body: {} });
  expect([status, text]).toEqual([503, "error trying to reach service: EOF\n"]);
});
