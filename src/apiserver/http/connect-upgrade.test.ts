import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { send, toApiRequest } from "../in-process.test-support.ts";
import { pki } from "./clients.test-support.ts";
import { addPod, connectedServer, listening, listenTo, podIp } from "./kubelet.test-support.ts";
import type { Listener } from "./listen.ts";

const pod = "/api/v1/namespaces/default/pods/web";

interface Kubelet {
  readonly asked: IncomingMessage[];
  readonly port: number;
}

/** A kubelet that upgrades whatever it is asked, and goes on like this. */
async function kubeletThat(goOn: (socket: Duplex) => void): Promise<Kubelet> {
  const asked: IncomingMessage[] = [];
  const { port } = await listening((_, response) => response.end(), {
    onUpgrade(request, socket) {
      asked.push(request);
      socket.on("error", () => {});
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`,
      );
      goOn(socket);
    },
  });
  return { asked, port };
}

/** An API server on a port, with a pod whose kubelet listens there. */
async function serverWith(
  port: number,
  options: Parameters<typeof addPod>[2] = {},
): Promise<Listener> {
  const core = await connectedServer();
  await addPod(core, port, options);
  return listenTo(core, pki);
}

/** A client that asks for an upgrade; resolves with what it is answered, without what follows. */
async function ask(port: number, path: string, headers: readonly string[] = spdy, method = "POST") {
  const options = { host: "127.0.0.1", port, ca: pki.ca.cert, ...pki.admin, allowHalfOpen: true };
  const socket = connect(options);
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: api\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`,
  );
  let head = "";
  while (!head.includes("\r\n\r\n")) head += await more(socket);
  const end = head.indexOf("\r\n\r\n") + 4;
  return { socket, head: head.slice(0, end), rest: head.slice(end) };
}

const spdy = [
  "Connection: Upgrade",
  "Upgrade: SPDY/3.1",
  "X-Stream-Protocol-Version: v4.channel.k8s.io",
];

async function more(socket: TLSSocket): Promise<string> {
  const piece = socket.read() as Buffer | null;
  if (piece !== null) return piece.toString("latin1");
  if (socket.readableEnded) throw new Error("the connection has ended");
  await Promise.race([once(socket, "readable"), once(socket, "end")]);
  return "";
}

async function until(socket: TLSSocket, text: string, had = ""): Promise<void> {
  let heard = had;
  while (!heard.includes(text)) heard += await more(socket);
}

describe("an upgrade", () => {
  test("is passed on to the kubelet, and then bytes go both ways", async () => {
    const kubelet = await kubeletThat((socket) => {
      socket.write("welcome");
      socket.on("data", (bytes) => socket.write(`heard ${bytes}`));
    });
    const { port } = await serverWith(kubelet.port);
    const { socket, head, rest } = await ask(
      port,
      `${pod}/exec?command=ls&command=-l%20a&stdin=1&stdout=true&stderr=false&tty=1`,
    );
    expect(head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(head.toLowerCase()).toContain("upgrade: spdy/3.1\r\n");
    expect(head.toLowerCase()).toContain("x-stream-protocol-version: v4.channel.k8s.io\r\n");
    await until(socket, "welcome", rest);
    socket.write("you");
    await until(socket, "heard you");
    expect(kubelet.asked[0]?.method).toBe("POST");
    expect(kubelet.asked[0]?.url).toBe(
      "/exec/default/web/main?command=ls&command=-l+a&input=1&output=1&tty=1",
    );
    expect(kubelet.asked[0]?.headers).toMatchObject({
      upgrade: "SPDY/3.1",
      "x-stream-protocol-version": "v4.channel.k8s.io",
      "x-forwarded-for": "127.0.0.1",
    });
  });

  test.each([
    ["attach?stdout=1", "/attach/default/web/main?output=1"],
    ["portforward?ports=80,81&ports=82", "/portForward/default/web?port=80%2C81%2C82"],
    ["exec?container=main", "/exec/default/web/main"],
  ])("%s", async (path, asked) => {
    const kubelet = await kubeletThat((socket) => socket.end());
    const { port } = await serverWith(kubelet.port);
    await ask(port, `${pod}/${path}`, spdy, "GET");
    expect(kubelet.asked[0]?.url).toBe(asked);
  });

  test("one side may end before the other", async () => {
    const kubelet = await kubeletThat((socket) => {
      let heard = "";
      socket.on("data", (bytes) => {
        heard += bytes;
      });
      socket.on("end", () => socket.end(`all of ${heard}`));
    });
    const { port } = await serverWith(kubelet.port);
    const { socket, rest } = await ask(port, `${pod}/exec`);
    socket.end("it");
    await until(socket, "all of it", rest);
  });

  test("when one side goes away, the other is closed", async () => {
    let gone = () => {};
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const kubelet = await kubeletThat((socket) => {
      socket.on("close", gone);
      socket.resume();
    });
    const { port } = await serverWith(kubelet.port);
    const first = await ask(port, `${pod}/exec`);
    first.socket.destroy();
    await closed;
    const leaving = await kubeletThat((socket) => void socket.destroy());
    const other = await serverWith(leaving.port);
    const second = await ask(other.port, `${pod}/exec`);
    second.socket.resume();
    await once(second.socket, "end");
  });

  test("a slow client holds back the kubelet", async () => {
    let sent = 0;
    const kubelet = await kubeletThat((socket) => {
      const block = Buffer.alloc(64 * 1024);
      const write = (): void => {
        while (sent < 128 << 20) {
          sent += block.length;
          if (!socket.write(block)) return;
        }
      };
      socket.on("drain", write);
      write();
    });
    const { port } = await serverWith(kubelet.port);
    await ask(port, `${pod}/exec`);
    for (let i = 0; i < 3000; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(64 << 20);
  });

  test("ends when the server stops", async () => {
    const kubelet = await kubeletThat((socket) => socket.resume());
    const listener = await serverWith(kubelet.port);
    const { socket } = await ask(listener.port, `${pod}/exec`);
    socket.on("error", () => {}).resume();
    await Promise.all([once(socket, "end"), listener.close()]);
  });

  test("a kubelet's response without upgrade is passed back", async () => {
    const { port: kubelet } = await listening((_, response) => {
      response.writeHead(403, { "content-type": "text/plain" }).end("not you");
    });
    const { port } = await serverWith(kubelet);
    const { socket, head, rest } = await ask(port, `${pod}/exec`);
    expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    await until(socket, "not you", rest);
  });

  const failures = [
    ["exec", 200, "invalid upgrade response: status code 200"],
    ["exec?container=x", 200, "container x is not valid for pod web"],
    [
      "portforward?ports=x",
      200,
      'cannot convert to []int32: strconv.ParseUint: parsing \\"x\\": invalid syntax',
    ],
    ["portforward?ports=65536", 200, "value out of range"],
  ] as const;
  test.each(failures)("%s to a kubelet that says %d fails", async (path, status, message) => {
    const { port: kubelet } = await listening((_, response) => response.writeHead(status).end());
    const { port } = await serverWith(kubelet);
    const { socket, rest } = await ask(port, `${pod}/${path}`);
    await until(socket, message, rest);
  });

  test("a kubelet that is not there", async () => {
    const { port } = await serverWith(1);
    const { socket, head, rest } = await ask(port, `${pod}/exec`);
    expect(head).toMatch(/^HTTP\/1\.1 500 /);
    await until(
      socket,
      '"message":"error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused","code":500',
      rest,
    );
  });

  test("to a pod is passed on through its proxy", async () => {
    const { port: listeningAt } = await listening(() => {}, {
      isSecure: false,
      onUpgrade(request, socket) {
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\nat ${request.url}`,
        );
      },
    });
    const { port } = await serverWith(1, { status: { podIPs: [{ ip: podIp }] } });
    const { socket, rest } = await ask(
      port,
      `${pod}:${listeningAt}/proxy/chat`,
      ["Connection: Upgrade", "Upgrade: odd"],
      "GET",
    );
    await until(socket, "at /chat", rest);
  });

  test("without support for upgrades it is an ordinary request", async () => {
    const { port } = await serverWith(1);
    const { head, socket, rest } = await ask(
      port,
      pod,
      ["Connection: Upgrade", "Upgrade: websocket"],
      "GET",
    );
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await until(socket, '"name":"web"', rest);
  });
});

test("an ordinary request keeps its body, whatever it could be upgraded to", async () => {
  const { port } = await serverWith(1);
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } });
  const headers = ["Connection: Upgrade", "Upgrade: h2c", `Content-Length: ${body.length}`];
  const { head } = await ask(port, "/api/v1/namespaces/default/configmaps", [
    ...headers,
    `Content-Type: application/json\r\n\r\n${body}`,
  ]);
  expect(head).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
});

describe("without an upgrade", () => {
  test.each(["exec", "attach", "portforward"])("%s is refused", async (what) => {
    const server = await connectedServer();
    await addPod(server, 1);
    const { status, text } = await send(server, { method: "POST", path: `${pod}/${what}` });
    expect([status, JSON.parse(text).message]).toEqual([400, "Upgrade request required"]);
  });
  test("other methods are not known", async () => {
    const server = await connectedServer();
    expect((await send(server, { method: "PUT", path: `${pod}/exec` })).status).toBe(405);
    expect((await send(server, { path: `${pod}/exec/x` })).status).toBe(404);
  });
  test("the right to get a pod's exec is not enough to exec", async () => {
    const server = await connectedServer();
    await addPod(server, 1);
    const rules = [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }];
    const api = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const meta = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "r" } };
    await send(server, {
      method: "POST",
      path: `${api}/roles`,
      body: { ...meta, kind: "Role", rules },
    });
    await send(server, {
      method: "POST",
      path: `${api}/rolebindings`,
      body: {
        ...meta,
        kind: "RoleBinding",
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "u" }],
      },
    });
    const response = await server.handle(
      toApiRequest({
        path: `${pod}/exec`,
        headers: { "impersonate-user": "u", connection: "upgrade" },
      }),
    );
    expect([response.status, JSON.parse(String(response.body)).message]).toEqual([
      403,
      'pods "web" is forbidden: ',
    ]);
  });
});
