import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer } from "../in-process.test-support.ts";
import { GatedStore } from "../request/load/gated-store.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";
import { type Call, deferred, openSession, pki, versions } from "./clients.test-support.ts";
import { listen } from "./listen.ts";

const users = new Map(
  ["joe", "jane"].map((name) => [name, { name, groups: ["system:authenticated"] }]),
);

/** A server on a store that can be held up, where Joe may do everything. */
async function started(options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const store = new GatedStore(clock);
  const server = await openServer(clock, store, {
    staticTokens: users,
    authorizationModes: ["AlwaysAllow"],
    ...options,
  });
  const tls = { ...pki.apiserver, ca: pki.ca.cert };
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ ...address, tls, handler: server.handle, log: noLog });
  onTestFinished(async () => {
    store.open();
    server.close();
    await listener.close(0);
    await store.close();
  });
  return { clock, store, server, listener, port: listener.port };
}

const asJoe = { authorization: "Bearer joe" };
const namespaces = "/api/v1/namespaces";
const create = (name: string): Call => ({
  method: "POST",
  path: namespaces,
  headers: { ...asJoe, "content-type": "application/json" },
  body: JSON.stringify({ metadata: { name } }),
});
const read: Call = { path: namespaces, headers: asJoe };

test.each(versions)(
  "maxInFlight: %s: a write beyond the limit gets 429, and reads go on",
  async (_, call) => {
    const { port, store } = await started({ maxInFlight: { reading: 1, writing: 1 } });
    store.shut();
    const first = call(port, create("a"));
    await store.waiting(1);
    const { status, headers, body } = await call(port, create("b"));
    expect([status, headers["retry-after"], headers["content-type"], body]).toEqual([
      429,
      "1",
      "text/plain; charset=utf-8",
      "Too many requests, please try again later.\n",
    ]);
    expect((await call(port, read)).status).toEqual(200);
    const asAdmin = call(port, { ...create("c"), headers: {}, identity: pki.admin });
    await store.waiting(2);
    store.open();
    expect([(await first).status, (await asAdmin).status]).toEqual([201, 201]);
    expect((await call(port, create("d"))).status).toEqual(201);
  },
);

test.each(versions)("maxInFlight: %s: watches do not count, and 0 is no limit", async (_, call) => {
  const { port, store } = await started({ maxInFlight: { reading: 1, writing: 0 } });
  const session = openSession(port);
  for (let i = 0; i < 3; i++) {
    const watch = session.request({ ":path": `${namespaces}?watch=1`, ...asJoe });
    expect((await once(watch, "response"))[0][":status"]).toEqual(200);
  }
  expect((await call(port, read)).status).toEqual(200);
  store.shut();
  const names = ["a", "b", "c"];
  const created = names.map((name) => call(port, create(name)));
  await store.waiting(3);
  store.open();
  expect((await Promise.all(created)).map(({ status }) => status)).toEqual([201, 201, 201]);
});

test.each(versions)("maxInFlight: %s: health probes are never rejected", async (_, call) => {
  const { port, store } = await started({ maxInFlight: { reading: 1, writing: 1 } });
  const { currentRevision } = store;
  const { promise: open, resolve } = deferred<void>();
  const { promise: arrived, resolve: onArrival } = deferred<void>();
  store.currentRevision = async () => {
    onArrival();
    await open;
    return currentRevision.call(store);
  };
  const reading = call(port, read);
  await arrived;
  expect((await call(port, read)).status).toEqual(429);
  expect((await call(port, { path: "/livez/ping" })).status).toEqual(429);
  const probe = call(port, { path: "/livez" });
  resolve();
  expect([(await probe).body, (await reading).status]).toEqual(["ok", 200]);
});

test.each(versions)("timeout: %s: a request that takes too long times out", async (_, call) => {
  const { port, store, clock } = await started();
  store.shut();
  const slow = call(port, create("a"));
  const { path } = create("b");
  const hurried = call(port, { ...create("b"), path: `${path}?timeout=2s` });
  await store.waiting(2);
  await clock.advance(2000);
  const { status, body, headers } = await hurried;
  const text =
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n';
  expect([status, headers["content-type"], body]).toEqual([504, "text/plain; charset=utf-8", text]);
  await clock.advance(58_000);
  expect(await slow).toMatchObject({ status: 504, body: text });
  store.open();
  await expect.poll(async () => (await call(port, read)).body).toContain('"name":"a"');
});

test.each(versions)(
  "shutDown: %s: running requests get a response and are durable",
  async (_, call) => {
    const { port, store, server, listener } = await started();
    store.shut();
    const running = call(port, create("a"));
    await store.waiting(1);
    await server.shutDown();
    const closed = listener.close();
    store.open();
    const { status, headers } = await running;
    expect(status).toEqual(201);
    expect(headers.connection).toEqual(call === versions[1][1] ? "close" : undefined);
    await closed;
    expect(await store.get("/registry/namespaces/a")).toBeDefined();
    await expect(call(port, read)).rejects.toThrow("ECONNREFUSED");
  },
);

test("shutDown: a connection gets GOAWAY, and its watch ends after a complete line", async () => {
  const { port, server, listener } = await started();
  const session = openSession(port);
  const goneAway = once(session, "goaway");
  const watch = session.request({ ":path": `${namespaces}?watch=1`, ...asJoe });
  let text = "";
  watch.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  await once(watch, "data");
  await server.shutDown();
  const ended = once(watch, "end");
  await listener.close();
  const [code] = await goneAway;
  await ended;
  expect([code, text.endsWith("}\n")]).toEqual([0, true]);
  for (const line of text.trimEnd().split("\n"))
    expect(JSON.parse(line)).toMatchObject({ type: "ADDED" });
});

test.each(versions)(
  "shutDown: %s: the server is unready at once, and serves on for the delay",
  async (_, call) => {
    const { port, server, clock } = await started({ shutdownDelayMs: 5000 });
    const shutDown = server.shutDown();
    expect((await call(port, { path: "/readyz" })).body).toContain(
      "[-]shutdown failed: reason withheld\nreadyz check failed\n",
    );
    expect((await call(port, { path: "/livez" })).body).toEqual("ok");
    expect((await call(port, read)).status).toEqual(200);
    await clock.advance(5000);
    await shutDown;
    const late = await call(port, read);
    expect([late.status, late.headers["retry-after"], JSON.parse(late.body)]).toEqual([
      503,
      "1",
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "apiserver is shutting down",
        reason: "ServiceUnavailable",
        code: 503,
      },
    ]);
    expect((await call(port, { path: "/livez" })).body).toEqual("ok");
  },
);

test.each(versions)(
  "shutDown: %s: late requests get 429 until no request is running",
  async (_, call) => {
    const { port, server, store } = await started({ shutdownSendRetryAfter: true });
    store.shut();
    const running = call(port, create("a"));
    await store.waiting(1);
    const shutDown = server.shutDown();
    const late = await call(port, read);
    expect([late.status, late.headers["retry-after"], late.body]).toEqual([
      429,
      "5",
      "The apiserver is shutting down, please try again later.\n",
    ]);
    expect(late.headers.connection).toEqual(call === versions[1][1] ? "close" : undefined);
    store.open();
    await Promise.all([shutDown, running]);
  },
);

test.each(versions)(
  "listen: %s: every response has an audit id, the client's own if it sent one",
  async (_, call) => {
    const { port } = await started();
    const own = await call(port, { path: "/nowhere", headers: { "audit-id": "mine" } });
    const { headers } = await call(port, read);
    expect([own.headers["audit-id"], headers["audit-id"]]).toEqual([
      "mine",
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
  },
);
