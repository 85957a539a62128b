import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { openServer, send } from "../../in-process.test-support.ts";

const options = {
  corsAllowedOrigins: ["//example\\.com(:|$)", "^https://[a-z]+\\.wherry\\.dev$"],
  strictTransportSecurity: ["max-age=31536000", "includeSubDomains"],
};
const permissions = {
  "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "access-control-allow-headers":
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "access-control-expose-headers": "Date",
  "access-control-allow-credentials": "true",
};
const open = (own: object) => openServer(new VirtualClock(0), undefined, own);

const origins: [origin: string | null, isAllowed: boolean][] = [
  ["https://example.com", true],
  ["http://example.com:8080", true],
  ["https://example.com.evil.org", false],
  ["https://console.wherry.dev", true],
  ["https://a.b.wherry.dev", false],
  [null, false],
];
test.each(origins)("cors: origin %s is allowed: %s", async (origin, isAllowed) => {
  const server = await open(options);
  const headers = { origin };
  const { status, headers: got } = await send(server, { path: "/version", headers });
  expect([status, got]).toEqual([
    200,
    isAllowed
      ? expect.objectContaining({ "access-control-allow-origin": origin, ...permissions })
      : expect.not.objectContaining({ "access-control-allow-methods": expect.anything() }),
  ]);
  server.close();
});

test("cors: a preflight request needs no credentials; other origins get no preflight response", async () => {
  const server = await open({ ...options, anonymousAuth: false });
  const ask = { method: "OPTIONS", path: "/api/v1/pods", peer: undefined };
  const answer = await server.handle({
    ...ask,
    query: "",
    headers: { origin: "https://example.com" },
    body: undefined,
    remoteAddress: "",
    signal: new AbortController().signal,
  });
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expect(answer.headers).toEqual({
    "access-control-allow-origin": "https://example.com",
    "strict-transport-security": "max-age=31536000; includeSubDomains",
    ...permissions,
  });
  const other = await send(server, { ...ask, headers: { origin: "https://evil.org" } });
  expect(other.status).not.toBe(204);
  server.close();
});

test("transportSecurity: every response has the header, errors too; without directives none has", async () => {
  const server = await open(options);
  const plain = await open({});
  for (const path of ["/version", "/api/v1/namespaces/none", "/nope"]) {
    const told = (await send(server, { path })).headers["strict-transport-security"];
    expect(told).toBe("max-age=31536000; includeSubDomains");
    expect((await send(plain, { path })).headers).not.toHaveProperty("strict-transport-security");
  }
  server.close();
  plain.close();
});
