import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WebhookClientConfig } from "../../api/admissionregistration/v1/webhook-client-config.ts";
import { SeededRandom } from "../../base/random.ts";
import { realClock } from "../../platform/real-clock.ts";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { realNetwork } from "../../platform/real-network.ts";
import { egressOf } from "../connect/egress.ts";
import { WebhookClient } from "../connect/webhooks/webhook-client.ts";
import { webhookLocation } from "../connect/webhooks/webhook-location.ts";

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const tls = selfSigned();
const caBundle = btoa(tls.cert);
const servers: Server[] = [];
let client: WebhookClient;

beforeEach(() => {
  const service = {
    metadata: { name: "s", namespace: "n" },
    spec: { type: "ExternalName", externalName: "localhost" },
  };
  const reader = {
    getCached: (_: unknown, { name }: { name: string }) => (name === "s" ? service : undefined),
    listCached: () => [],
  } as never;
  const random = new SeededRandom(1);
  client = new WebhookClient({
    egress: egressOf({ network: realNetwork }),
    clock: realClock,
    random,
    reader,
  });
});
afterEach(() => {
  client.close();
  for (const server of servers.splice(0)) server.close();
});

const post = (config: WebhookClientConfig, timeoutMs = 10_000, signal?: AbortSignal) =>
  client.post({ webhook: webhookLocation(config), body: "{}", timeoutMs, signal });

describe("WebhookClient", () => {
  test("posts JSON, and reuses the connection", async () => {
    const ports = new Set<number | undefined>();
    let seen = {};
    const port = await listen((request, response, body) => {
      const { method, url, headers } = request;
      ports.add(request.socket.remotePort);
      seen = { method, url, body, headers };
      response.end(`{"a":1}`);
    });
    const config = { url: `https://127.0.0.1:${port}/a`, caBundle };
    expect(await post(config)).toBe('{"a":1}');
    expect(await post(config, 900)).toBe('{"a":1}');
    expect(ports.size).toBe(1);
    expect(seen).toMatchObject({
      method: "POST",
      url: "/a?timeout=1s",
      body: "{}",
      headers: {
        host: `127.0.0.1:${port}`,
        accept: "application/json, */*",
        "content-type": "application/json",
        "user-agent": "kube-apiserver-admission",
      },
    });
  });

  test("a connection that its server has closed is not used again", async () => {
    const sockets: Socket[] = [];
    const port = await listen((request, response) => {
      sockets.push(request.socket);
      response.end("{}");
    });
    const config = { url: `https://127.0.0.1:${port}`, caBundle };
    await post(config);
    const [first] = sockets;
    const closed = new Promise((resolve) => first?.once("close", resolve));
    first?.end();
    await closed;
    expect(await post(config)).toBe("{}");
    expect(new Set(sockets).size).toBe(2);
  });

  test("calls at the same time have connections of their own", async () => {
    let waiting: ServerResponse[] = [];
    const port = await listen((_, response) => {
      waiting.push(response);
      if (waiting.length < 3) return;
      for (const one of waiting) one.end("{}");
      waiting = [];
    });
    const config = { url: `https://127.0.0.1:${port}`, caBundle };
    expect(await Promise.all([post(config), post(config), post(config)])).toEqual([
      "{}",
      "{}",
      "{}",
    ]);
  });

  test("a busy webhook is called again", async () => {
    let calls = 0;
    const port = await listen((_, response) => {
      calls++;
      if (calls < 3) response.writeHead(503, { "retry-after": "0" });
      response.end("{}");
    });
    expect(await post({ url: `https://127.0.0.1:${port}`, caBundle })).toBe("{}");
    expect(calls).toBe(3);
  });

  test("what fails says how", async () => {
    const port = await listen((request, response) => {
      if (request.url?.startsWith("/slow")) return;
      if (request.url?.startsWith("/cut")) response.write("x", () => request.socket.destroy());
      else if (request.url?.startsWith("/trickle")) response.write("x");
      else if (request.url?.startsWith("/drop")) request.socket.destroy();
      else if (request.url?.startsWith("/moved"))
        response.writeHead(307, { location: "/elsewhere" }).end();
      else if (request.url?.startsWith("/huge")) response.end("x".repeat((16 << 20) + 1));
      else response.end("{}");
    });
    const plain = await listen((_, response) => void response.end("{}"), createServer);
    const at = (path: string, url = `https://127.0.0.1:${port}`) => ({ url: url + path, caBundle });
    const fails = async (config: WebhookClientConfig, error: string, ms?: number) =>
      expect(post(config, ms)).rejects.toThrow(expect.objectContaining({ message: error }));
    const here = `https://127.0.0.1:${port}`;
    const unread = "unexpected error when reading response body. Please retry. Original error:";
    const gone = await unusedPort();
    await Promise.all([
      fails(at("/slow"), `Post "${here}/slow?timeout=1s": context deadline exceeded`, 100),
      fails(at("/trickle"), `${unread} context deadline exceeded`, 200),
      fails(at("/drop"), `Post "${here}/drop?timeout=10s": EOF`),
      fails(at("/huge"), `${unread} the response is larger than 16777216 bytes`),
      fails(
        at("/moved"),
        "the server responded with the status code 307 but did not return more information",
      ),
      fails(
        at("", `https://127.0.0.1:${gone}`),
        `Post "https://127.0.0.1:${gone}/?timeout=10s": dial tcp 127.0.0.1:${gone}: connect: connection refused`,
      ),
      fails(
        at("", `https://127.0.0.1:${plain}`),
        `Post "https://127.0.0.1:${plain}/?timeout=10s": http: server gave HTTP response to HTTPS client`,
      ),
      fails(
        { url: `${here}/` },
        `Post "${here}/?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
      fails(
        { service: { namespace: "n", name: "s", port }, caBundle },
        `Post "https://s.n.svc:${port}/?timeout=10s": tls: failed to verify certificate: x509: certificate is valid for localhost, not s.n.svc`,
      ),
      fails(
        { service: { namespace: "n", name: "t", port: 443 }, caBundle },
        'Post "https://t.n.svc:443/?timeout=10s": service "t" not found',
      ),
    ]);
    await expect(post(at("/cut"))).rejects.toThrow(unread);
  });

  test("a caller that goes away ends the call", async () => {
    const caller = new AbortController();
    const port = await listen(() => caller.abort());
    await expect(
      post({ url: `https://127.0.0.1:${port}`, caBundle }, 10_000, caller.signal),
    ).rejects.toThrow(`Post "https://127.0.0.1:${port}/?timeout=10s": context canceled`);
  });
});

async function listen(
  respond: Respond,
  create: (listener: (request: IncomingMessage, response: ServerResponse) => void) => Server = (
    listener,
  ) => createTlsServer(tls, listener),
): Promise<number> {
  const server = create((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => respond(request, response, body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function unusedPort(): Promise<number> {
  const port = await listen(() => {}, createServer);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}
