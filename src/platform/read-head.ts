import type { Socket } from "node:net";

/** The longest head of a proxy's response. */
const longestHead = 64 * 1024;

/** Reads the head of a response of a proxy; what follows it stays in the socket. */
export function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.off("readable", read).off("error", fail).off("close", closed).off("end", closed);
      act();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const closed = (): void => fail(new Error("unexpected EOF"));
    const read = (): void => {
      for (let part = socket.read(); part !== null; part = socket.read()) {
        head = Buffer.concat([head, part as Uint8Array]);
        const end = head.indexOf("\r\n\r\n");
        if (end >= 0) {
          settle(() => {
            if (end + 4 < head.length) socket.unshift(head.subarray(end + 4));
            resolve(head.subarray(0, end).toString("latin1"));
          });
          return;
        }
        if (head.length > longestHead) {
          fail(new Error("the answer of the proxy is too long"));
          return;
        }
      }
    };
    socket.on("readable", read).on("error", fail).on("close", closed).on("end", closed);
    read();
  });
}
