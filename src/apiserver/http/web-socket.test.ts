import { once } from "node:events";
import { connect } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import { pki } from "./clients.test-support.ts";
import { addPod, connectedServer, listening, listenTo, must } from "./kubelet.test-support.ts";

const maps = "/api/v1/namespaces/default/configmaps";

interface Served {
  readonly core: ApiServer;
  readonly port: number;
}

async function served(options: Parameters<typeof connectedServer>[0] = {}): Promise<Served> {
  const core = await connectedServer(options);
  const { port } = await listenTo(core, pki);
  return { core, port };
}

interface Message {
  readonly text: string;
  readonly bytes: Buffer;
  readonly isBinary: boolean;
}

/** A client, and the messages that it gets, in order. */
function open(port: number, path: string, protocols: string[] = [], options: ClientOptions = {}) {
  const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, protocols, {
    ca: pki.ca.cert,
    ...pki.admin,
    origin: "https://console.example",
    ...options,
  });
  onTestFinished(() => socket.terminate());
  const waiting: Message[] = [];
  let wake = (): void => {};
  socket.on("message", (data, isBinary) => {
    const bytes = data as Buffer;
    waiting.push({ bytes, text: bytes.toString(), isBinary });
    wake();
  });
  const next = async (): Promise<Message> => {
    for (;;) {
      const message = waiting.shift();
      if (message) return message;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { socket, next };
}

/** The status with which a client is refused. */
async function refusal(
  port: number,
  path: string,
  protocols: string[] = [],
  options: ClientOptions = {},
) {
  const { socket } = open(port, path, protocols, options);
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [
    unknown,
    { statusCode: number },
  ];
  return response.statusCode;
}

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

describe("a watch through a WebSocket", () => {
  test("each event is a message of text", async () => {
    const { core, port } = await served();
    await must(core, "POST", maps, map("a"));
    const { next, socket } = open(
      port,
      `${maps}?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt`,
    );
    const first = await next();
    expect([first.isBinary, first.text.endsWith("}\n")]).toEqual([false, true]);
    expect(JSON.parse(first.text)).toMatchObject({
      type: "ADDED",
      object: { metadata: { name: "a" } },
    });
    await send(core, { method: "DELETE", path: `${maps}/a` });
    expect(JSON.parse((await next()).text).type).toBe("DELETED");
    expect(socket.protocol).toBe("");
  });

  test("in protobuf, each is bytes without a length", async () => {
    const { core, port } = await served();
    await must(core, "POST", maps, map("a"));
    const accept = "application/vnd.kubernetes.protobuf;stream=watch";
    const { next } = open(port, `${maps}?watch=true&fieldSelector=metadata.name=a`, [], {
      headers: { accept },
    });
    const { isBinary, bytes } = await next();
    // The first field of an event is its type, a text of five letters.
    expect([isBinary, bytes.subarray(0, 7).toString("latin1")]).toEqual([true, "\n\x05ADDED"]);
  });

  test("the one protocol that is named is taken; several are refused", async () => {
    const { port } = await served();
    const { socket } = open(port, `${maps}?watch=true`, ["odd"]);
    await once(socket, "open");
    expect(socket.protocol).toBe("odd");
    expect(await refusal(port, `${maps}?watch=true`, ["a", "b"])).toBe(400);
  });

  test("only pages may listen, which say where they come from", async () => {
    const { port } = await served();
    for (const origin of ["", "null"])
      expect(await refusal(port, `${maps}?watch=true`, [], { origin })).toBe(403);
  });

  test("pings and close frames are answered", async () => {
    const { port } = await served();
    const { socket } = open(port, `${maps}?watch=true`);
    await once(socket, "open");
    socket.send("nobody listens to this");
    socket.send(new Uint8Array(70_000));
    socket.ping("are you there");
    const [said] = (await once(socket, "pong")) as [Buffer];
    expect(said.toString()).toBe("are you there");
    socket.close(1000);
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1000);
  });

  test("ends with a goodbye when its time is up", async () => {
    const { port } = await served();
    const { socket } = open(port, `${maps}?watch=true&timeoutSeconds=1`);
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1000);
  });

  test("a client that sends unmasked frames is disconnected with an error", async () => {
    const { port } = await served();
    const socket = connect({ host: "127.0.0.1", port, ca: pki.ca.cert, ...pki.admin });
    onTestFinished(() => void socket.destroy());
    const head = [
      `GET ${maps}?watch=true HTTP/1.1`,
      "Host: api",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Origin: https://x",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(Uint8Array.of(0x81, 1, 65));
    const heard: Buffer[] = [];
    for await (const piece of socket) heard.push(piece as Buffer);
    const all = Buffer.concat(heard);
    expect(all.toString("latin1")).toContain("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    expect([...all.subarray(-4)]).toEqual([0x88, 2, 1002 >> 8, 1002 & 255]);
  });

  test.each([
    ["another version", { "sec-websocket-version": "8" }, "missing or bad WebSocket Version"],
    ["no key", { "sec-websocket-key": null }, "mismatch challenge/response"],
  ])("%s is refused", async (_, odd, said) => {
    const { core } = await served();
    const upgrade = { connection: "upgrade", upgrade: "WebSocket", origin: "https://x" };
    const handshake = { "sec-websocket-version": "13", "sec-websocket-key": "k" };
    const headers = { ...upgrade, ...handshake, ...odd };
    const { status, text } = await send(core, { path: `${maps}?watch=true`, headers });
    expect([status, text]).toEqual([400, said]);
  });

  test("an invalid request is rejected before the upgrade", async () => {
    const { port } = await served();
    expect(await refusal(port, `${maps}?watch=true&labelSelector=,,`)).toBe(400);
  });
});

describe("a token among the protocols of a WebSocket", () => {
  const prefix = "base64url.bearer.authorization.k8s.io.";
  const encoded = (token: string) => prefix + Buffer.from(token).toString("base64url");
  const staticTokens = new Map([
    ["secret", { name: "somebody", uid: "", groups: ["system:masters"], extra: {} }],
  ]);
  const anonymous = { cert: undefined, key: undefined } as unknown as ClientOptions;

  test("authenticates the client, and is not passed on", async () => {
    const { port } = await served({ staticTokens } as never);
    const { socket } = open(port, `${maps}?watch=true`, [encoded("secret"), "odd"], anonymous);
    await once(socket, "open");
    expect(socket.protocol).toBe("odd");
  });

  test.each([
    ["is wrong", [encoded("other"), "odd"]],
    ["comes alone", [encoded("secret")]],
    ["comes twice", [encoded("secret"), encoded("secret2"), "odd"]],
    ["is none", [`${prefix}a`, "odd"]],
  ])("is refused where it %s", async (_, protocols) => {
    const { port } = await served({ staticTokens } as never);
    expect(await refusal(port, `${maps}?watch=true`, protocols, anonymous)).toBe(401);
  });
});

describe("a log through a WebSocket", () => {
  const log = "/api/v1/namespaces/default/pods/web/log";

  test.each([
    ["binary.k8s.io", true, "line\n"],
    ["base64.binary.k8s.io", false, "bGluZQo="],
    ["", true, "line\n"],
  ])("by %j", async (protocol, isBinary, text) => {
    const kubelet = await listening((_, response) => response.end("line\n"));
    const { core, port } = await served();
    await addPod(core, kubelet.port);
    const { socket, next } = open(port, log, protocol === "" ? [] : ["odd", protocol]);
    const closed = once(socket, "close");
    expect(await next()).toMatchObject({ isBinary, text: "" });
    expect(await next()).toMatchObject({ isBinary, text });
    expect([socket.protocol, (await closed)[0]]).toEqual([protocol, 1000]);
  });

  test("another protocol is not spoken", async () => {
    const kubelet = await listening((_, response) => response.end("line\n"));
    const { core, port } = await served();
    await addPod(core, kubelet.port);
    expect(await refusal(port, log, ["odd"])).toBe(403);
  });

  test("a client that goes away ends the kubelet's stream", async () => {
    let gone = (): void => {};
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const kubelet = await listening((_, response) => {
      response.on("close", gone);
      response.write("line\n");
    });
    const { core, port } = await served();
    await addPod(core, kubelet.port);
    const { socket, next } = open(port, `${log}?follow=true`);
    await next();
    await next();
    socket.close();
    await closed;
  });
});
