import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { AuthorityFilter } from "./authority-filter.ts";

/** A client's connection on which `:authority` may have any value. */
export function anyAuthority(socket: Socket): Duplex {
  const filter = new AuthorityFilter();
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (piece, encoding, done) => void socket.write(piece, encoding, done),
    writev(pieces, done) {
      socket.cork();
      for (const { chunk, encoding } of pieces.slice(0, -1)) socket.write(chunk, encoding);
      const last = pieces.at(-1);
      if (last) socket.write(last.chunk, last.encoding, done);
      socket.uncork();
    },
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.setNoDelay(true);
  socket.on("data", (received) => {
    for (const part of filter.add(received)) if (!stream.push(part)) socket.pause();
  });
  socket.on("end", () => stream.push(null));
  // A client that resets the connection has disconnected.
  socket.on("error", () => stream.destroy());
  socket.on("close", () => stream.destroy());
  stream.on("error", () => undefined);
  return stream;
}
