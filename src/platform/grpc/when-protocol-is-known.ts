import type { Socket } from "node:net";

/** What every connection of HTTP/2 without TLS starts with; no method of HTTP/1.1 does. */
const preface = Buffer.from("PRI ");

/**
 * Calls back once the first bytes of a connection tell whether it speaks HTTP/2. They are read again by whoever begins
 * to read within the call.
 */
export function whenProtocolIsKnown(socket: Socket, then: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const ignoreReset = (): void => undefined;
  socket.on("error", ignoreReset);
  socket.on("data", function look(chunk: Buffer) {
    seen = Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const isHttp2 = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (isHttp2 && length < preface.length) return;
    socket.off("data", look);
    socket.off("error", ignoreReset);
    // Paused, so that nothing is lost before the next reader listens.
    socket.pause();
    socket.unshift(seen);
    then(isHttp2);
    socket.resume();
  });
}
