import { decodeBase64 } from "../../base/base64.ts";
import type { ApiRequest } from "../request/request.ts";

/** The prefix of a token among WebSocket protocols: browsers cannot set other headers. */
const prefix = "base64url.bearer.authorization.k8s.io.";

/** Whether a request asks to upgrade to WebSocket. */
export const isWebSocket = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" &&
  (headers.connection ?? "").toLowerCase().includes("upgrade");

/** The token of a WebSocket request; undefined without one, an error where it is malformed. */
export function webSocketToken(
  request: Pick<ApiRequest, "headers">,
): { readonly token: string } | { readonly error: string } | undefined {
  if (!isWebSocket(request)) return undefined;
  const protocols = protocolsIn(request.headers["sec-websocket-protocol"] ?? "");
  const [shown, ...more] = protocols.filter((protocol) => protocol.startsWith(prefix));
  if (shown === undefined) return undefined;
  if (more.length > 0) return { error: "multiple base64.bearer.authorization tokens specified" };
  const encoded = shown.slice(prefix.length);
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1)
    return { error: "invalid base64.bearer.authorization token encoding" };
  const token = decoded(encoded);
  if (token === undefined) return { error: "invalid base64.bearer.authorization token" };
  if (token === "") return undefined;
  if (protocols.length === 1) return { error: "missing additional subprotocol" };
  return { token };
}

/** A list of protocols without the one that is a token. */
export function withoutBearer(header: string): string {
  if (!header.includes(prefix)) return header;
  return protocolsIn(header)
    .filter((protocol) => !protocol.startsWith(prefix))
    .join(",");
}

export const protocolsIn = (header: string): string[] =>
  header.trim() === "" ? [] : header.split(",").map((protocol) => protocol.trim());

function decoded(base64url: string): string | undefined {
  const bytes = decodeBase64(
    base64url
      .replaceAll("-", "+")
      .replaceAll("_", "/")
      .padEnd(Math.ceil(base64url.length / 4) * 4, "="),
  );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
