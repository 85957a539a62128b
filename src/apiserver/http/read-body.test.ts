import { once } from "node:events";
import { expect, test } from "vitest";
import { callHttp1, echo, ok, openSession, start, versions } from "./clients.test-support.ts";

for (const [version, call] of versions) {
  test.each([
    ["as large as allowed", 100, {}, 200],
    ["larger than allowed", 101, {}, 413],
    ["larger than allowed and announced", 101, { "content-length": "101" }, 413],
    ["far larger than allowed", 50_000_000, { "content-length": "50000000" }, 413],
    ["far larger than allowed and not announced", 50_000_000, {}, 413],
  ])(`readBody: ${version}: a body %s`, async (_, size, headers, wanted) => {
    const handled: number[] = [];
    const { port } = await start(
      (request) => {
        handled.push(request.body?.length ?? 0);
        return ok("fine");
      },
      { bodyBytes: 100 },
    );
    const chunked = version === "HTTP/1.1" && Object.keys(headers).length === 0;
    const answer = await call(port, {
      method: "POST",
      headers: chunked ? { "transfer-encoding": "chunked" } : headers,
      body: Buffer.alloc(size),
    });
    expect([answer.status, handled]).toEqual([wanted, wanted === 200 ? [100] : []]);
    if (wanted === 413) {
      expect(JSON.parse(answer.body)).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Request entity too large: limit is 100",
        reason: "RequestEntityTooLarge",
        code: 413,
      });
    }
  });
}

test("readBody: HTTP/2: a refused body leaves the connection usable", async () => {
  const { port } = await start(echo, { bodyBytes: 100 });
  const session = openSession(port);
  const statuses: unknown[] = [];
  for (let turn = 0; turn < 30; turn++) {
    const stream = session.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => {});
    stream.end(Buffer.alloc(turn % 2 === 0 ? 1_000_000 : 10));
    const [head] = await once(stream, "response");
    statuses.push(head[":status"]);
    stream.resume();
  }
  expect(statuses).toEqual(Array.from({ length: 30 }, (_, turn) => (turn % 2 === 0 ? 413 : 200)));
});

test.each(versions)("readBody: %s: 100-continue invites the body", async (_, call) => {
  const { port } = await start(echo);
  const headers = { expect: "100-continue" };
  const answer = await call(port, { method: "PUT", headers, body: "hi" });
  expect(JSON.parse(answer.body).text).toEqual("hi");
});

test("readBody: HTTP/2: a body that does not arrive is given up", async () => {
  const { port } = await start(echo, { bodyTimeout: 20 });
  const stream = openSession(port).request({ ":method": "POST", ":path": "/" });
  stream.on("error", () => {});
  stream.write("a");
  const [head] = await once(stream, "response");
  expect(head[":status"]).toEqual(408);
});

test.each(versions)("readBody: %s: an empty body is none", async (_, call) => {
  const { port } = await start((request) => ok(String(request.body)));
  const empty = { method: "POST", body: "" };
  const chunked = { ...empty, headers: { "transfer-encoding": "chunked" } };
  const calls = call === callHttp1 ? [empty, chunked] : [empty];
  for (const one of calls) expect((await call(port, one)).body).toEqual("undefined");
});
