import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type RequestOptions, request } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSession, pki } from "./clients.test-support.ts";
import { addPod, connectedServer, listening, listenTo, podIp } from "./kubelet.test-support.ts";

const pod = "/api/v1/namespaces/default/pods/web";
const block = Buffer.alloc(64 * 1024, "a line of a log\n");
const size = 50 * 1024 * 1024;

/** A kubelet that has a log of 50 MB, and how much of it was taken. */
async function talkative() {
  const state = { taken: 0 };
  const { port } = await listening((_: IncomingMessage, response: ServerResponse) => {
    const more = (): void => {
      while (state.taken < size) {
        state.taken += block.length;
        if (!response.write(block)) return;
      }
      response.end();
    };
    response.on("drain", more);
    more();
  });
  return { state, port };
}

async function servedPod(kubelet: number): Promise<number> {
  const core = await connectedServer();
  await addPod(core, kubelet, { status: { podIPs: [{ ip: podIp }] } });
  return (await listenTo(core, pki)).port;
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

async function ask(
  port: number,
  path: string,
  options: RequestOptions = {},
  body?: Buffer,
): Promise<IncomingMessage> {
  const asked = request({
    host: "127.0.0.1",
    port,
    path,
    ca: pki.ca.cert,
    ...pki.admin,
    ...options,
  });
  onTestFinished(() => void asked.destroy());
  asked.on("error", () => {}).end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

describe("a log of 50 MB", () => {
  test("comes whole, and no more than a part of it is ever on its way", async () => {
    const { state, port: kubelet } = await talkative();
    const response = await ask(await servedPod(kubelet), `${pod}/log`);
    let [received, most] = [0, 0];
    for await (const piece of response) {
      received += (piece as Buffer).length;
      most = Math.max(most, state.taken - received);
    }
    expect(received).toBe(size);
    expect(most).toBeLessThan(size / 2);
  });

  test("waits for a client that does not read it, over HTTP/1.1", async () => {
    const { state, port: kubelet } = await talkative();
    const response = await ask(await servedPod(kubelet), `${pod}/log`);
    response.pause();
    await turns(2000);
    expect(state.taken).toBeLessThan(size / 2);
  });

  test("waits for a client that does not read it, over HTTP/2", async () => {
    const { state, port: kubelet } = await talkative();
    const session = openSession(await servedPod(kubelet), pki.admin);
    const stream = session.request({ ":path": `${pod}/log` });
    await once(stream, "response");
    await turns(2000);
    expect(state.taken).toBeLessThan(size / 2);
  });
});

describe("a body that is sent to a pod", () => {
  test("may be larger than any object, and comes whole", async () => {
    const { port: at } = await listening(
      (sent, response) => {
        let received = 0;
        sent.on("data", (piece: Buffer) => {
          received += piece.length;
        });
        sent.on("end", () => response.end(String(received)));
      },
      { isSecure: false },
    );
    const port = await servedPod(1);
    const body = Buffer.alloc(20 * 1024 * 1024);
    for (const headers of [{}, { "transfer-encoding": "chunked" }, { expect: "100-continue" }]) {
      const path = `${pod}:${at}/proxy/`;
      const response = await ask(port, path, { method: "POST", headers }, body);
      let text = "";
      for await (const piece of response) text += piece;
      expect(text).toBe(String(body.length));
    }
  });

  test("is let go where it is refused, and the connection goes on", async () => {
    const session = openSession(await servedPod(1), pki.admin);
    const stream = session.request({ ":method": "POST", ":path": `${pod}:1/proxy/` });
    stream.on("error", () => {}).end(Buffer.alloc(5 * 1024 * 1024));
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(503);
    stream.resume();
    await once(stream, "close");
    const next = session.request({ ":path": pod });
    const [second] = (await once(next, "response")) as [Record<string, unknown>];
    expect(second[":status"]).toBe(200);
  });
});
