import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { whenProtocolIsKnown } from "./when-protocol-is-known.ts";

each<[pieces: string[], isHttp2: boolean]>([
  [["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], true],
  [["P", "R", "I", " * HTTP/2.0\r\n"], true],
  [["GET /health HTTP/1.1\r\n"], false],
  [["P", "UT / HTTP/1.1\r\n"], false],
  [["PR", "OPFIND / HTTP/1.1\r\n"], false],
])("whenProtocolIsKnown: %j", async (pieces, isHttp2) => {
  const socket = new PassThrough();
  const decided: boolean[] = [];
  let read = "";
  whenProtocolIsKnown(socket as unknown as Socket, (decision) => {
    decided.push(decision);
    socket.on("data", (piece: Buffer) => {
      read += piece.toString();
    });
  });
  for (const piece of pieces) {
    socket.write(piece);
    // The next piece arrives after this one was read.
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  await finished(socket);
  expect(decided).toEqual([isHttp2]);
  expect(read).toBe(pieces.join(""));
});
