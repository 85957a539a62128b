import { inTurn } from "../base/in-turn.ts";
import type { Transport } from "./transport.ts";

/**
 * A limit for the writes that several transports make together: at most `most` are under way, others
 * wait for their turn. Reads pass.
 */
export function limitWrites(most: number): (transport: Transport) => Transport {
  const turn = inTurn(most);
  return (transport) => (request) =>
    request.method === "GET" || request.method === "HEAD"
      ? transport(request)
      : turn(() => transport(request));
}
