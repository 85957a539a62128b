import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { openSession, pki, start } from "../../src/apiserver/http/clients.test-support.ts";
import type { ApiResponse } from "../../src/apiserver/request/request.ts";
import { malformedHttp2 } from "./malformed-http2.test-support.ts";
import { rawSocket } from "./raw-http1.test-support.ts";

const limits = { idleTimeout: 100, stallTimeout: 100, bodyTimeout: 100 };
const never = (): Promise<ApiResponse> => new Promise(() => {});

test.each(malformedHttp2.filter(([, wanted]) => wanted.startsWith("goaway")))(
  "HTTP/2: after %s (%s) the connection does not stay",
  async (_, __, frames) => {
    const { port } = await start(never, limits);
    const socket = await rawSocket({ port, ca: pki.ca.cert }, "h2");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.resume().write(Buffer.concat(frames));
    await once(socket, "close");
  },
);

test("HTTP/2: a connection that waits for a response is not closed", async () => {
  let answer: (response: ApiResponse) => void = () => {};
  const { port } = await start(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    limits,
  );
  const session = openSession(port);
  const stream = session.request({ ":path": "/" });
  // Several times as long as a connection without a sign of life may stay.
  for (let pings = 0; pings < 3; pings++) await once(session, "ping");
  answer({ status: 200, headers: {}, body: "at last" });
  const [head] = (await once(stream, "response")) as [Record<string, unknown>];
  expect(head[":status"]).toBe(200);
});
