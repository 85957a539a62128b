import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Network } from "../base/network.ts";
import { byteStream } from "./byte-stream.ts";
import { brokenMessage } from "./dial-message.ts";
import { type Dial, dialSocket, secureSocket } from "./dial-socket.ts";

/** The machine's own network. */
export const realNetwork: Network = {
  async dial(target, signal) {
    return byteStream(await dialSocket(target, { signal, allowHalfOpen: true }), brokenMessage);
  },

  async lookup(host) {
    if (isIP(host) !== 0) return [host];
    try {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    } catch (cause) {
      throw new Error(`lookup ${host}: no such host`, { cause });
    }
  },
};

/** A network whose connections are opened otherwise; names are looked up by the machine. */
export const networkThrough = (dial: Dial): Network => ({
  async dial({ host, port, tls }, signal) {
    const socket = await dial({ host, port }, signal);
    if (!tls) return byteStream(socket, brokenMessage);
    try {
      return byteStream(await secureSocket(socket, { host, port, tls }, { signal }), brokenMessage);
    } catch (fault) {
      socket.destroy();
      throw fault;
    }
  },
  lookup: (host) => realNetwork.lookup(host),
});
