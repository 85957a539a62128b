import type { ServeStreams } from "../../base/stream-connection.ts";
import { SpdyConnection } from "./spdy-connection.ts";

/** The server's side of SPDY/3.1. */
export const serveSpdy: ServeStreams = (stream, accept) =>
  new SpdyConnection(stream, { role: "server", accept });
