import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import type { HttpHeaders } from "../../pod/http-get/http-get-request.ts";
import { hostOf, ownHeaders } from "../../pod/http-get/request-head.ts";
import type { Exchange, Exchanged } from "./http-exchange.ts";
import type { HttpResponseHead } from "./http-response-reader.ts";

/** Sends a request by HTTP/2 through a connection, which is closed when enough of the response has come. */
export function http2Exchange(
  socket: Socket,
  { request, mostBodyBytes, wantsBody, cutoff }: Exchange,
): Promise<Exchanged> {
  const { url, headers } = request;
  return new Promise((resolve, reject) => {
    const session = connect(`${url.scheme}://${url.authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    let head: HttpResponseHead | undefined;
    const pieces: Buffer[] = [];
    let size = 0;
    let isSettled = false;
    const settle = (fault?: Error): void => {
      if (isSettled) return;
      isSettled = true;
      session.destroy();
      socket.destroy();
      const body = Buffer.concat(pieces).subarray(0, mostBodyBytes);
      if (head) resolve({ head, body, bodyFault: fault?.message });
      else reject(fault ?? new Error("unexpected EOF"));
    };
    cutoff.guard(() => settle(new Error("canceled")));
    session.on("error", settle);
    session.on("close", () => settle());
    try {
      const stream = session.request({
        ":path": `${url.path || "/"}${url.query}`,
        ":authority": hostOf(request),
        ...sentHeaders(headers),
      });
      stream.on("response", (received: IncomingHttpHeaders & { readonly ":status"?: number }) => {
        head = { status: received[":status"] ?? 0, location: received.location ?? "" };
        if (!wantsBody(head)) settle();
      });
      stream.on("data", (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (size >= mostBodyBytes) settle();
      });
      stream.on("end", () => settle());
      stream.on("error", settle);
    } catch (error) {
      settle(error as Error);
    }
  });
}

/** Headers of the connection have no meaning in HTTP/2. */
function sentHeaders(headers: HttpHeaders): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = {};
  for (const [name, values] of headers)
    if ((!ownHeaders.has(name) || name === "User-Agent") && !ofConnection.has(name))
      sent[name.toLowerCase()] = values.length === 1 ? values[0] : values.join(", ");
  return sent;
}

const ofConnection: ReadonlySet<string> = new Set([
  "Connection",
  "Keep-Alive",
  "Proxy-Connection",
  "Upgrade",
]);
