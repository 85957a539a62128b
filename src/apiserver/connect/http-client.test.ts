import { describe, expect, test } from "vitest";
import type { ByteStream } from "../../base/network.ts";
import { type HttpRequest, sendRequest } from "./http-client.ts";

const get: HttpRequest = { method: "GET", target: "/", headers: [["Host", "h"]] };

describe("sendRequest", () => {
  const bodies: readonly (readonly [name: string, answer: string, body: string])[] = [
    ["a body of known length", "Content-Length: 5\r\n\r\nhello", "hello"],
    [
      "chunks",
      "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: 1\r\n\r\n",
      "hello",
    ],
    ["a body until the end", "\r\nhello", "hello"],
    ["an empty body", "Content-Length: 0\r\n\r\n", ""],
    ["no more than was announced", "Content-Length: 2\r\n\r\nhello", "he"],
  ];
  for (const size of [1, 7, 1000])
    test.each(bodies)(`reads %s, ${size} bytes at a time`, async (_, answer, body) => {
      const peer = scripted(`HTTP/1.1 200 OK\r\n${answer}`, size);
      const response = await sendRequest(peer, get);
      expect([response.status, await textOf(response.body)]).toEqual([200, body]);
      expect(peer.destroyed).toBe(true);
    });

  const broken: readonly (readonly [name: string, answer: string, error: string])[] = [
    ["nothing", "", "EOF"],
    ["no HTTP", "SSH-2.0\r\n", 'malformed HTTP response "SSH-2.0"'],
    ["half a head", "HTTP/1.1 200 OK\r\nA: b\r\n", "unexpected EOF"],
    ["a header without colon", "HTTP/1.1 200 OK\r\nA\r\n\r\n", "malformed MIME header line: A"],
    ["a short body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "unexpected EOF"],
    ["a bad length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 'bad Content-Length "-1"'],
    [
      "a bad chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
      "malformed chunked encoding",
    ],
    [
      "cut chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "unexpected EOF",
    ],
  ];
  test.each(broken)("refuses %s, and gives up the connection", async (_, answer, error) => {
    const peer = scripted(answer, 5);
    const reading = sendRequest(peer, get).then(({ body }) => textOf(body));
    await expect(reading).rejects.toThrow(error);
    expect(peer.destroyed).toBe(true);
  });

  test("a head has an end", async () => {
    const peer = scripted(`HTTP/1.1 200 OK\r\nA: ${"a".repeat(2 << 20)}\r\n\r\n`, 65536);
    await expect(sendRequest(peer, get)).rejects.toThrow("exceeded");
  });
  test("interim responses are skipped", async () => {
    const peer = scripted(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nA: b\r\n\r\n",
      1000,
    );
    const { status, reason, headers } = await sendRequest(peer, get);
    expect({ status, reason, headers }).toEqual({
      status: 204,
      reason: "No Content",
      headers: [["A", "b"]],
    });
  });
  test("a HEAD has no body, whatever its length", async () => {
    const peer = scripted("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 1000);
    const { body } = await sendRequest(peer, { ...get, method: "HEAD" });
    expect([await textOf(body), peer.destroyed]).toEqual(["", true]);
  });
  test("a body is sent with its length, or in chunks", async () => {
    const whole = scripted("HTTP/1.1 204 N\r\n\r\n", 1000);
    await sendRequest(whole, { ...get, body: new TextEncoder().encode("hey") });
    expect(whole.sent()).toBe("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nhey");
    const pieces = scripted("HTTP/1.1 200 OK\r\n\r\nx", 1000);
    const { body } = await sendRequest(pieces, { ...get, body: streamOf("he", "", "y") });
    await textOf(body);
    expect(pieces.sent()).toBe(
      "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n1\r\ny\r\n0\r\n\r\n",
    );
  });
  test.each(["a\r\nb: c", "\u010a", "\0"])(
    "a header that would begin another is not sent: %j",
    async (odd) => {
      const peer = scripted("HTTP/1.1 204 N\r\n\r\n", 1000);
      await expect(sendRequest(peer, { ...get, headers: [["Host", odd]] })).rejects.toThrow(
        "invalid",
      );
      expect([peer.sent(), peer.destroyed]).toEqual(["", true]);
    },
  );
  const endings: readonly (readonly [name: string, answer: string, isKept: boolean])[] = [
    ["a body of known length", "1 200 OK\r\nContent-Length: 1\r\n\r\nx", true],
    ["chunks", "1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", true],
    ["no body", "1 200 OK\r\nContent-Length: 0\r\n\r\n", true],
    ["a body until the end", "1 200 OK\r\n\r\nx", false],
    ["a closed connection", "1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", false],
    ["an old protocol", "0 200 OK\r\nContent-Length: 1\r\n\r\nx", false],
    ["more than was announced", "1 200 OK\r\nContent-Length: 1\r\n\r\nxy", false],
  ];
  test.each(endings)("after %s the connection is kept, or closed", async (_, answer, isKept) => {
    const peer = scripted(`HTTP/1.${answer}`, 1000);
    let kept: ByteStream | undefined;
    const { body } = await sendRequest(peer, get, (stream) => {
      kept = stream;
    });
    expect(kept).toBe(undefined);
    await textOf(body);
    expect([kept === peer, peer.destroyed]).toEqual([isKept, !isKept]);
  });

  test("after an upgrade the connection goes on, from the first byte", async () => {
    const peer = scripted("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nab", 1000);
    const { upgraded } = await sendRequest(peer, get);
    await upgraded?.write(new TextEncoder().encode("!"));
    const bytes = await upgraded?.read();
    expect([new TextDecoder().decode(bytes), await upgraded?.read(), peer.destroyed]).toEqual([
      "ab",
      undefined,
      false,
    ]);
    expect(peer.sent().endsWith("\r\n\r\n!")).toBe(true);
  });
});

interface Scripted extends ByteStream {
  readonly destroyed: boolean;
  sent(): string;
}

/** A peer that says its piece, a few bytes at a time, then ends. */
function scripted(answer: string, size: number): Scripted {
  const bytes = new TextEncoder().encode(answer);
  let at = 0;
  let sent = "";
  let destroyed = false;
  return {
    get destroyed() {
      return destroyed;
    },
    sent: () => sent,
    async read() {
      if (at >= bytes.length) return undefined;
      at += size;
      return bytes.subarray(at - size, at);
    },
    async write(piece) {
      sent += new TextDecoder().decode(piece);
    },
    async end() {},
    destroy() {
      destroyed = true;
    },
  };
}

async function* streamOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) text += decoder.decode(bytes, { stream: true });
  return text;
}
