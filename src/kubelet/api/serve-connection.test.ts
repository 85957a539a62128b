import { expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import type { KubeletHandler } from "./kubelet-request.ts";
import { serveConnection } from "./serve-connection.ts";

/** The whole output of the server for these chunks of a request. */
async function exchange(pieces: readonly string[], handle: KubeletHandler): Promise<string> {
  const [client, server] = byteStreamPair();
  const served = serveConnection(server, handle);
  const received = (async () => {
    let text = "";
    for (let bytes = await client.read(); bytes; bytes = await client.read())
      text += new TextDecoder().decode(bytes);
    return text;
  })();
  for (const piece of pieces) await client.write(new TextEncoder().encode(piece)).catch(() => {});
  const text = await received.catch(() => "broken");
  await served;
  return text;
}

const echo: KubeletHandler = async ({ method, path, query, headers }) => ({
  status: 200,
  headers: {},
  body: JSON.stringify([method, path, query.toString(), headers]),
});
const bodyOf = (text: string): unknown => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));

const request = "GET /a%20b?c=d&e=f HTTP/1.1\r\nHost: h\r\nX: 1\r\nx: 2\r\n\r\n";
test.each([1, 7, 1000])("serveConnection: reads a request, %d bytes at a time", async (size) => {
  const pieces = request.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  const answer = await exchange(pieces, echo);
  expect(answer.startsWith("HTTP/1.1 200 OK\r\n")).toBe(true);
  expect(bodyOf(answer)).toEqual(["GET", "/a b", "c=d&e=f", { host: "h", x: "1, 2" }]);
});

const malformed: readonly [what: string, request: string][] = [
  ["no HTTP", "SSH-2.0\r\n\r\n"],
  ["another version", "GET / HTTP/2.0\r\n\r\n"],
  ["a header without colon", "GET / HTTP/1.1\r\nHost\r\n\r\n"],
  ["a header without name", "GET / HTTP/1.1\r\n: x\r\n\r\n"],
  ["a path that cannot be decoded", "GET /%zz HTTP/1.1\r\n\r\n"],
];
test.each(malformed)("serveConnection: rejects %s", async (_, text) => {
  expect(await exchange([text], echo)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

test("serveConnection: ignores a request with a too long head", async () => {
  const long = `GET / HTTP/1.1\r\nA: ${"a".repeat(70_000)}\r\n\r\n`;
  expect(await exchange([long], echo)).toBe("");
});

test("serveConnection: a body of unknown length is sent in chunks", async () => {
  async function* body() {
    yield new TextEncoder().encode("hel");
    yield new Uint8Array();
    yield new TextEncoder().encode("lo");
  }
  const answer = await exchange(["GET / HTTP/1.1\r\n\r\n"], async () => ({
    status: 200,
    headers: {},
    body: body(),
  }));
  expect(answer.endsWith("\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")).toBe(true);
});

test("serveConnection: a handler that takes over reads what follows the request", async () => {
  const answer = await exchange(["GET / HTTP/1.1\r\n\r\nab"], async () => ({
    status: 101,
    headers: { upgrade: "x" },
    async takeOver(stream) {
      await stream.write((await stream.read()) ?? new Uint8Array());
    },
  }));
  expect(answer).toBe("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\nab");
});
