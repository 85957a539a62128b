import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Network } from "../base/network.ts";
import { byteStream } from "./byte-stream.ts";
import { brokenMessage } from "./dial-message.ts";
import { dialSocket } from "./dial-socket.ts";

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
