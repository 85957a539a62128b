import { once } from "node:events";
import { Agent, get } from "node:https";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import type { ApiBody, ApiRequest, ApiResponse, StreamBody } from "../request/request.ts";
import {
  callHttp1,
  callHttp2,
  deferred,
  echo,
  handStream,
  ok,
  openers,
  openSession,
  pki,
  start,
  versions,
} from "./clients.test-support.ts";
import { listen } from "./listen.ts";

test.each(versions)("listen: %s: the core gets the request as it was sent", async (_, call) => {
  const { port } = await start(echo);
  const answer = await call(port, {
    method: "POST",
    path: "/api/v1/a%2Fb?x=1&y=%20?",
    headers: { "X-A": "v" },
    body: "hello",
  });
  expect([answer.status, answer.headers["content-type"], JSON.parse(answer.body)]).toEqual([
    200,
    "application/json",
    {
      method: "POST",
      path: "/api/v1/a%2Fb",
      query: "x=1&y=%20?",
      text: "hello",
      remoteAddress: "127.0.0.1",
      x: "v",
    },
  ]);
});

test.each(versions)(
  "listen: %s: repeated headers are also available one by one",
  async (_, call) => {
    const raw = ({ rawHeaders = [] }: ApiRequest) =>
      rawHeaders.filter((__, i) => i % 2 === 1 && /^x-a$/i.test(rawHeaders[i - 1] ?? ""));
    const { port } = await start((request) => ok(JSON.stringify(raw(request))));
    const { body } = await call(port, { headers: { "x-a": ["a, b", "c"] } });
    expect(JSON.parse(body)).toEqual(["a, b", "c"]);
  },
);

test.each(versions)("listen: %s: a request without body has none", async (_, call) => {
  const { port } = await start((request) => ok(String(request.body === undefined)));
  expect((await call(port, {})).body).toEqual("true");
});

const shortStream: StreamBody = {
  start(sink) {
    sink.write("x");
    sink.write(Buffer.from("y"));
    sink.end();
    return () => {};
  },
};

const bodies: readonly [string, () => ApiBody, string, string | undefined][] = [
  ["nothing", () => undefined, "", "0"],
  ["a string", () => "ü", "ü", "2"],
  ["bytes", () => Buffer.from("bytes"), "bytes", "5"],
  ["pieces", () => ["a", Buffer.from("b"), "ü"], "abü", "4"],
  ["large pieces", () => ["a", "b".repeat(100_000), "c"], `a${"b".repeat(100_000)}c`, "100002"],
  ["an iterable", () => iterate("one", "two"), "onetwo", undefined],
  ["a stream", () => shortStream, "xy", undefined],
];

async function* iterate(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}

for (const [version, call] of versions) {
  test.each(bodies)(`listen: ${version}: %s is sent`, async (_, body, text, length) => {
    const { port } = await start(() => ok(body()));
    const answer = await call(port, {});
    expect([answer.body, answer.headers["content-length"]]).toEqual([text, length]);
  });
}

test.each(versions)("listen: %s: HEAD has the headers of GET and no body", async (_, call) => {
  const { port } = await start(() => ok("12345"));
  const answer = await call(port, { method: "HEAD" });
  expect([answer.status, answer.headers["content-length"], answer.body]).toEqual([200, "5", ""]);
});

test.each(versions)("listen: %s: several headers of one name are sent", async (_, call) => {
  const warning = ['299 - "a"', '299 - "b"'];
  const { port } = await start(() => ({ status: 204, headers: { warning }, body: undefined }));
  const answer = await call(port, {});
  const joined = warning.join(", ");
  expect([answer.status, answer.headers.warning, answer.headers["content-length"]]).toEqual([
    204,
    joined,
    undefined,
  ]);
});

test.each(versions)("listen: %s: warnings of any text are sent as UTF-8", async (_, call) => {
  const warning = ['299 - "ключ"', '299 - "ü"'];
  const { port } = await start(() => ({ status: 200, headers: { warning }, body: undefined }));
  const { headers } = await call(port, {});
  expect(Buffer.from(String(headers.warning), "latin1").toString()).toEqual(warning.join(", "));
});

test.each(versions)(
  "listen: %s: a handler that throws gets a response with status 500",
  async (_, call) => {
    const { port } = await start((request) => {
      if (request.path === "/now") throw new Error("boom");
      return Promise.reject(new Error("boom"));
    });
    const text = "This request caused apiserver to panic. Look in the logs for details.\n";
    for (const path of ["/now", "/later"]) {
      const answer = await call(port, { path });
      expect([answer.status, answer.body]).toEqual([500, text]);
    }
  },
);

test.each(versions)("listen: %s: a request that is served sees no abort", async (_, call) => {
  let signal: AbortSignal | undefined;
  const { port } = await start((request) => {
    signal = request.signal;
    return ok("done");
  });
  await call(port, {});
  expect(signal?.aborted).toEqual(false);
});

test("listen: the signal is aborted if the client has gone before it is first read", async () => {
  const { promise: arrived, resolve: onArrival } = deferred<ApiRequest>();
  const { promise: never } = deferred<ApiResponse>();
  const { port } = await start((request) => {
    onArrival(request);
    return never;
  });
  const session = openSession(port);
  session.request({ ":path": "/" }).on("error", () => {});
  const request = await arrived;
  session.destroy();
  await expect.poll(() => request.signal.aborted).toEqual(true);
});

test("listen: a long query arrives whole, by both versions", async () => {
  const { port } = await start((request) => ok(String(request.query.length)));
  const path = `/?${"a".repeat(50_000)}`;
  expect([(await callHttp2(port, { path })).body, (await callHttp1(port, { path })).body]).toEqual([
    "50000",
    "50000",
  ]);
});

test.each(openers)("close: %s: streams end, and their makers are stopped", async (_, open) => {
  const hand = handStream();
  const listener = await start(() => ok(hand.body));
  const answer = await open(listener.port);
  await hand.started;
  answer.next().catch(() => {});
  await Promise.all([listener.close(), answer.ended]);
  expect(hand.stops()).toEqual(1);
});

test.each(versions)("close: %s: a running request is waited for", async (_, call) => {
  const { promise: arrived, resolve: onArrival } = deferred<void>();
  const { promise: answer, resolve: finish } = deferred<ApiResponse>();
  const listener = await start(() => {
    onArrival();
    return answer;
  });
  const called = call(listener.port, {});
  await arrived;
  const closed = listener.close();
  finish(ok("in time"));
  expect((await called).body).toEqual("in time");
  await closed;
});

test.each(versions)(
  "close: %s: a request that does not end is aborted at the deadline",
  async (_, call) => {
    const { promise: arrived, resolve: onArrival } = deferred<AbortSignal>();
    const { promise: never } = deferred<ApiResponse>();
    const listener = await start((request) => {
      onArrival(request.signal);
      return never;
    });
    const called = call(listener.port, {}).catch(() => "cut off");
    const signal = await arrived;
    await listener.close(10);
    expect([signal.aborted, await called]).toEqual([true, "cut off"]);
  },
);

test("close: idle connections do not hold it up, and nothing is accepted after", async () => {
  const listener = await start(echo);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const session = openSession(listener.port);
  await once(session, "connect");
  await new Promise((resolve) => {
    const options = { host: "127.0.0.1", port: listener.port, ca: pki.ca.cert, agent };
    get(options, (response) => response.resume().on("end", resolve));
  });
  await listener.close();
  await expect(callHttp1(listener.port, {})).rejects.toThrow("ECONNREFUSED");
});

test("close: a handshake that is never finished does not hold it up beyond the deadline", async () => {
  const listener = await start(echo);
  const silent = connect(listener.port, "127.0.0.1");
  onTestFinished(() => void silent.destroy());
  await once(silent, "connect");
  const gone = once(silent, "close");
  await Promise.all([listener.close(10), gone]);
  expect(silent.destroyed).toEqual(true);
});

test("listen: a port that is taken is an error", async () => {
  const { port } = await start(echo);
  const tls = { ...pki.apiserver, ca: pki.ca.cert };
  const again = listen({ host: "127.0.0.1", port, tls, handler: echo, log: noLog });
  await expect(again).rejects.toThrow("EADDRINUSE");
});

test("listen: a client that gets GOAWAY finishes its requests, and reconnects", async () => {
  const { promise: gate, resolve: open } = deferred<void>();
  const tls = { ...pki.apiserver, ca: pki.ca.cert };
  const slow = async ({ path }: ApiRequest) => {
    if (path === "/slow") await gate;
    return ok(path);
  };
  const tells = [false, true, false];
  const goaway = () => tells.shift() ?? false;
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ ...address, tls, handler: slow, log: noLog, goaway });
  onTestFinished(() => listener.close(0));
  const session = openSession(listener.port);
  const ask = (path: string) => {
    const stream = session.request({ ":path": path });
    stream.setEncoding("utf8");
    return { stream, text: once(stream, "data") };
  };
  expect(await ask("/first").text).toEqual(["/first"]);
  const slowly = ask("/slow");
  const told = once(session, "goaway");
  expect(await ask("/second").text).toEqual(["/second"]);
  await told;
  open();
  expect(await slowly.text).toEqual(["/slow"]);
  await once(session, "close");
  expect((await callHttp2(listener.port, { path: "/third" })).body).toEqual("/third");
});

test("listen: without HTTP/2 a client that speaks both is served by HTTP/1.1", async () => {
  const tls = { ...pki.apiserver, ca: pki.ca.cert };
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ ...address, tls, handler: echo, log: noLog, http2: false });
  onTestFinished(() => listener.close(0));
  const client = connectTls({ ...address, port: listener.port, ...bothProtocols });
  onTestFinished(() => void client.destroy());
  await once(client, "secureConnect");
  expect(client.alpnProtocol).toEqual("http/1.1");
});

test("listen: without TLS, several requests on one connection are served by plain HTTP/1.1", async () => {
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ ...address, handler: echo, log: noLog });
  onTestFinished(() => listener.close(0));
  const client = connect(listener.port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  let text = "";
  client.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  for (const path of ["/a", "/b"]) {
    client.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await expect.poll(() => text).toContain(`"path":"${path}"`);
  }
  expect(() => listener.renew({})).toThrow("this server has no certificates");
});

const bothProtocols = { ca: pki.ca.cert, ALPNProtocols: ["h2", "http/1.1"] };
