import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { HttpResponseReader } from "./http-response-reader.ts";

/** The outcome of a response that comes whole, byte by byte, and then the connection ends. */
function read(response: string | Buffer, most = 100): string {
  const bytes = typeof response === "string" ? Buffer.from(response) : response;
  const outcome = (pieces: readonly Buffer[]): string => {
    const reader = new HttpResponseReader(most);
    try {
      const isOver = pieces.some((piece) => reader.push(piece));
      if (!isOver) reader.end();
    } catch (error) {
      return (error as Error).message;
    }
    const { status, location } = reader.head ?? {};
    return `${status} ${location} ${reader.body}`;
  };
  const whole = outcome([bytes]);
  expect(outcome(Array.from(bytes, (byte) => Buffer.from([byte])))).toBe(whole);
  return whole;
}

const broken = "net/http: HTTP/1.x transport connection broken: ";

each<[response: string | Buffer, outcome: string]>([
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "200  ok"],
  ["HTTP/1.1 200\r\nCONTENT-LENGTH:2\r\n\r\nokmore", "200  ok"],
  ["HTTP/1.0 503 Busy\n\nuntil the end", "503  until the end"],
  ["HTTP/1.1 204 No Content\r\n\r\n", "204  "],
  ["HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "302 /x "],
  ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", "201  "],
  ["HTTP/1.1 101 Switching Protocols\r\n\r\nframes", "101  "],
  [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
    "200  abcde",
  ],
  ["HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 1\r\n\r\nx", "200  x"],
  ["", "EOF"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", "unexpected EOF"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "unexpected EOF"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "invalid byte in chunk length"],
  ["HTTP/1.1 200 OK\r\nX: y\r\n", `${broken}unexpected EOF`],
  ["nonsense\r\n", `${broken}malformed HTTP response "nonsense"`],
  [
    Buffer.from([0x15, 3, 1, 0, 2, 2]),
    `${broken}malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02"`,
  ],
  [Buffer.from([0xff, 0x41]), `${broken}malformed HTTP response "\\xffA"`],
  ["HTTP/1.1 20 OK\r\n\r\n", `${broken}malformed HTTP status code "20"`],
  ["FTP/1.1 200 OK\r\n\r\n", `${broken}malformed HTTP version "FTP/1.1"`],
  ["HTTP/1.1 200 OK\r\nfoo\r\n\r\n", `${broken}malformed MIME header: missing colon: "foo"`],
  ["HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", `${broken}bad Content-Length "x"`],
  [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    `${broken}unsupported transfer encoding: "gzip"`,
  ],
])("HttpResponseReader: %j", (response, outcome) => {
  expect(read(response)).toBe(outcome);
});

test("HttpResponseReader: only the first bytes of a body are read", () => {
  expect(read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcd", 4)).toBe("200  abcd");
  expect(read("HTTP/1.1 200 OK\r\n\r\nabcdef", 4)).toBe("200  abcd");
  const chunks = "3\r\nabc\r\n3\r\ndef\r\n3\r\nghi\r\n";
  expect(read(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, 4)).toBe(
    "200  abcd",
  );
});
