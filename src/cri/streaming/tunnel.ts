import type { ByteStream } from "../../base/network.ts";
import type { MessageSocket } from "./message-socket.ts";

/** The messages of a WebSocket as one stream of bytes, through which another protocol is spoken. */
export const tunnel = (socket: MessageSocket): ByteStream => ({
  read: () => socket.receive(),
  write: (bytes) => socket.send(bytes),
  end: () => socket.close(),
  destroy: () => socket.destroy(),
});
