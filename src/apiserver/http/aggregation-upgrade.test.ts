import { once } from "node:events";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { pki } from "./clients.test-support.ts";
import {
  addApi,
  aggregatingServer,
  extensionServer,
  group,
  json,
  type OnUpgrade,
  reached,
} from "./extension-server.test-support.ts";
import { listenTo } from "./kubelet.test-support.ts";

const thing = `/apis/${group}/v1/namespaces/default/things/a`;

/** The port of an API server, behind which is an extension server that changes protocols. */
async function aggregatorOf(onUpgrade: OnUpgrade): Promise<number> {
  const core = await aggregatingServer();
  const port = await extensionServer((_, response) => json(response, {}), { onUpgrade });
  await addApi(core, port);
  await reached(core);
  return (await listenTo(core, pki)).port;
}

test("a WebSocket reaches the server, with its protocol and the caller", async () => {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: () => "v5.channel.k8s.io",
  });
  const users: unknown[] = [];
  const port = await aggregatorOf((request, socket, head) => {
    users.push([request.headers["x-remote-user"], request.headers["x-remote-group"]]);
    sockets.handleUpgrade(request, socket, head, (server) => {
      server.on("message", (data) => server.send(data));
      server.on("close", () => users.push("closed"));
    });
  });
  const client = new WebSocket(
    `wss://127.0.0.1:${port}${thing}/exec?command=sh`,
    ["v5.channel.k8s.io"],
    { ca: pki.ca.cert, ...pki.admin },
  );
  onTestFinished(() => client.terminate());
  await once(client, "open");
  expect(client.protocol).toBe("v5.channel.k8s.io");
  for (const size of [1, 300_000]) {
    client.send(Buffer.alloc(size, 7));
    const [echoed] = (await once(client, "message")) as [Buffer];
    expect([echoed.length, echoed.every((byte) => byte === 7)]).toEqual([size, true]);
  }
  client.close(1000, "enough");
  const [code] = (await once(client, "close")) as [number];
  expect(code).toBe(1000);
  expect(users[0]).toEqual(["admin", "system:masters, system:authenticated"]);
});

test("SPDY reaches the server byte by byte, and either side may end first", async () => {
  const port = await aggregatorOf((request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\nwelcome`,
    );
    let heard = "";
    socket.on("data", (bytes) => {
      heard += bytes;
    });
    socket.on("end", () => socket.end(`, you said ${heard}`));
  });
  const options = { host: "127.0.0.1", port, ca: pki.ca.cert, ...pki.admin, allowHalfOpen: true };
  const socket = connect(options);
  onTestFinished(() => void socket.destroy());
  socket.end(
    `POST ${thing}/attach HTTP/1.1\r\nHost: api\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello`,
  );
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes;
  });
  await once(socket, "end");
  expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(text.toLowerCase()).toContain("upgrade: spdy/3.1\r\n");
  expect(text.toLowerCase()).toContain("x-stream-protocol-version: v4.channel.k8s.io\r\n");
  expect(text.split("\r\n\r\n")[1]).toBe("welcome, you said hello");
});
