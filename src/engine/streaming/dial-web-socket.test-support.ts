import type { DialMessages } from "../../base/http/message-socket.ts";
import { dialUpgrade } from "../../platform/spdy/dial-upgrade.ts";
import { webSocketOf, webSocketRequest } from "../../platform/spdy/dial-web-socket.ts";

/** Opens the client's side of a WebSocket at an address. */
export const dialWebSocket: DialMessages = async (address, how) => {
  const request = webSocketRequest(how);
  return webSocketOf(await dialUpgrade(address, request), request, how);
};
