import { createSecureServer } from "node:http2";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ProbeAnswer, ProbeRequest } from "../../pod/probes/prober.ts";
import {
  certificate,
  freePort,
  type RawAnswer,
  rawServer,
  socketServer,
  started,
} from "../http/raw-server.test-support.ts";
import { httpProbe } from "./http-probe.ts";

interface Action {
  readonly port: number | string;
  readonly path?: string;
  readonly scheme?: string;
  readonly host?: string;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

function probe(
  action: Action,
  { podIP = "127.0.0.1", signal = new AbortController().signal } = {},
): Promise<ProbeAnswer> {
  const container = { name: "c", ports: [{ name: "web", containerPort: 1 }] };
  const request = { probe: { timeoutSeconds: 1 }, container, podIP, signal };
  const whole = { scheme: "HTTP", path: "/", ...action };
  return httpProbe(whole as never, request as unknown as ProbeRequest);
}

const failure = (output: string): ProbeAnswer => ({ result: "failure", output });
const success = (output: string): ProbeAnswer => ({ result: "success", output });
const head = (status: number, more = ""): string =>
  `HTTP/1.1 ${status} Some Reason\r\n${more}Connection: close\r\n\r\n`;

each<[name: string, answer: RawAnswer, expected: (port: number) => ProbeAnswer]>([
  ["200", `${head(200)}fine`, () => success("fine")],
  [
    "399",
    head(399),
    () => ({ result: "warning", output: "Probe terminated redirects, Response body: " }),
  ],
  ["404", `${head(404)}secret`, () => failure("HTTP probe failed with statuscode: 404")],
  ["503", head(503), () => failure("HTTP probe failed with statuscode: 503")],
  ["101", head(101), () => failure("HTTP probe failed with statuscode: 101")],
  [
    "a redirect to another host",
    `${head(302, "Location: http://other.example/\r\n")}moved`,
    () => ({ result: "warning", output: "Probe terminated redirects, Response body: moved" }),
  ],
  [
    "a redirect without end",
    head(302, "Location: /next\r\n"),
    () => failure('Get "/next": stopped after 10 redirects'),
  ],
  [
    "a redirect to another protocol",
    head(302, "Location: ftp://127.0.0.1/\r\n"),
    () => failure('Get "ftp://127.0.0.1/": unsupported protocol scheme "ftp"'),
  ],
  [
    "the end without a response",
    (socket) => socket.end(),
    (port) => failure(`Get "http://127.0.0.1:${port}/": EOF`),
  ],
  [
    "nonsense",
    "nonsense\n",
    (port) =>
      failure(
        `Get "http://127.0.0.1:${port}/": net/http: HTTP/1.x transport connection broken: malformed HTTP response "nonsense"`,
      ),
  ],
])("httpProbe: %s", async (_, answer, expected) => {
  const server = await rawServer(answer);
  expect(await probe({ port: server.port })).toEqual(expected(server.port));
  await expect.poll(() => server.open()).toBe(0);
});

test("httpProbe: a redirect on the same host is followed, with a referrer", async () => {
  const server = await rawServer((socket, request) =>
    socket.end(request.startsWith("GET /a") ? head(301, "Location: b?c\r\n") : `${head(200)}done`),
  );
  const httpHeaders = [{ name: "Host", value: "example.com" }];
  expect(await probe({ port: server.port, path: "/a", httpHeaders })).toEqual(success("done"));
  expect(server.requests[1]?.split("\r\n")).toEqual([
    "GET /b?c HTTP/1.1",
    "Host: example.com",
    "User-Agent: kube-probe/1.36",
    "Accept: */*",
    `Referer: http://127.0.0.1:${server.port}/a`,
    "Connection: close",
  ]);
});

test("httpProbe: the request is the one that upstream sends", async () => {
  const server = await rawServer(head(200), { address: "::1" });
  await probe({ port: server.port, path: "/a b?c=d e" }, { podIP: "::1" });
  expect(server.requests).toEqual([
    [
      "GET /a%20b?c=d e HTTP/1.1",
      `Host: [::1]:${server.port}`,
      "User-Agent: kube-probe/1.36",
      "Accept: */*",
      "Connection: close",
    ].join("\r\n"),
  ]);
});

test("httpProbe: nobody listens, or resets the connection", async () => {
  const port = await freePort();
  expect(await probe({ port, path: "/x" })).toEqual(
    failure(
      `Get "http://127.0.0.1:${port}/x": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    ),
  );
  const server = await rawServer((socket) => socket.resetAndDestroy());
  const { output } = await probe({ port: server.port });
  expect(output).toMatch(
    new RegExp(
      `^Get "http://127\\.0\\.0\\.1:${server.port}/": read tcp 127\\.0\\.0\\.1:\\d+->127\\.0\\.0\\.1:${server.port}: read: connection reset by peer$`,
    ),
  );
});

test("httpProbe: a server that does not respond is left when the time is over", async () => {
  const server = await rawServer(() => {});
  expect(await probe({ port: server.port })).toEqual(
    failure(
      `Get "http://127.0.0.1:${server.port}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    ),
  );
  await expect.poll(() => server.open()).toBe(0);
});

test("httpProbe: a body that does not end is no result", async () => {
  const server = await rawServer((socket) => socket.write(`${head(200)}begin`));
  await expect(probe({ port: server.port })).rejects.toMatchObject({
    state: "failure",
    message:
      "context deadline exceeded (Client.Timeout or context cancellation while reading body)",
  });
  const cut = await rawServer(`${head(200, "Content-Length: 9\r\n")}begin`);
  await expect(probe({ port: cut.port })).rejects.toMatchObject({ message: "unexpected EOF" });
  await expect.poll(() => server.open() + cut.open()).toBe(0);
});

test("httpProbe: of a long body 10 KiB are read, and the connection is closed", async () => {
  const server = await rawServer((socket) => {
    socket.write(head(200));
    const pour = (): void => {
      while (!socket.destroyed && socket.write("x".repeat(1000)));
    };
    socket.on("drain", pour);
    pour();
  });
  expect(await probe({ port: server.port })).toEqual(success("x".repeat(10_240)));
  await expect.poll(() => server.open()).toBe(0);
});

test("httpProbe: a probe that nobody waits for closes its connection", async () => {
  const stop = new AbortController();
  const server = await rawServer(() => stop.abort());
  const { output } = await probe({ port: server.port }, { signal: stop.signal });
  expect(output).toBe(`Get "http://127.0.0.1:${server.port}/": context canceled`);
  await expect.poll(() => server.open()).toBe(0);
});

test("httpProbe: HTTPS is not verified, and speaks HTTP/2 with servers that do", async () => {
  const first = await rawServer(`${head(200)}one`, { tls: true });
  expect(await probe({ port: first.port, scheme: "HTTPS" })).toEqual(success("one"));
  const server = createSecureServer(
    { ...certificate(), allowHTTP1: false },
    (request, response) => {
      if (request.url === "/a") response.writeHead(302, { location: "/b" });
      response.end(`two ${request.authority} ${request.headers["user-agent"]} ${request.url}`);
    },
  );
  const second = await started(server as never, [], "127.0.0.1");
  const { port } = second;
  expect(await probe({ port, scheme: "HTTPS", path: "/a" })).toEqual(
    success(`two 127.0.0.1:${port} kube-probe/1.36 /b`),
  );
  await expect.poll(() => first.open() + second.open()).toBe(0);
});

test("httpProbe: HTTPS to servers without TLS", async () => {
  const server = await rawServer(head(200));
  const answering = await socketServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  });
  expect(await probe({ port: answering.port, scheme: "HTTPS" })).toEqual(
    failure(
      `Get "https://127.0.0.1:${answering.port}/": http: server gave HTTP response to HTTPS client`,
    ),
  );
  const closing = await socketServer((socket) => socket.destroy());
  expect((await probe({ port: closing.port, scheme: "HTTPS" })).output).toMatch(
    /^Get "https:.*": (?:EOF|read tcp .*: read: connection reset by peer)$/,
  );
  await expect.poll(() => server.open() + answering.open() + closing.open()).toBe(0);
});

test("httpProbe: a request that cannot be made is no result, one that cannot be sent a failure", async () => {
  await expect(probe({ port: "none" })).rejects.toMatchObject({
    state: "unknown",
    message: 'strconv.Atoi: parsing "none": invalid syntax',
  });
  const port = await freePort();
  const httpHeaders = [{ name: "X", value: "a\nb" }];
  expect(await probe({ port, httpHeaders })).toEqual(
    failure(`Get "http://127.0.0.1:${port}/": net/http: invalid header field value for "X"`),
  );
});
