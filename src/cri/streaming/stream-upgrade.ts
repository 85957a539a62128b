import type { ByteStream } from "../../base/network.ts";
import { rejection, type StreamingRequest, type StreamingResponse } from "./streaming-request.ts";

/**
 * Upgrades a request to SPDY with the first of the client's protocols that the server has. The messages are
 * those of Kubernetes.
 */
export function streamUpgrade(
  { headers }: StreamingRequest,
  protocols: readonly string[],
  serve: (stream: ByteStream, protocol: string) => Promise<void>,
): StreamingResponse {
  const given = headers["x-stream-protocol-version"];
  const cannot = "unable to upgrade:";
  const name = "X-Stream-Protocol-Version";
  if (given === undefined) {
    const count = Object.keys(headers).length;
    const text = `${cannot} header ${name} does not exist in request with ${count} headers`;
    return rejection(400, text);
  }
  const offered = given.split(",").flatMap((one) => one.trim() || []);
  if (offered.length === 0)
    return rejection(400, `${cannot} header ${name} contains [${given}], but no valid protocols`);
  const protocol = offered.find((one) => protocols.includes(one));
  if (protocol === undefined) {
    const supported = `client supports [${offered.join(" ")}], server accepts [${protocols.join(" ")}]`;
    return rejection(403, `${cannot} unable to negotiate protocol: ${supported}`, {
      "x-accepted-stream-protocol-versions": protocols.join(", "),
    });
  }
  const has = (header: string, value: string): boolean =>
    headers[header]?.toLowerCase().includes(value) ?? false;
  if (!has("connection", "upgrade") || !has("upgrade", "spdy/3.1")) {
    const text = `${cannot} missing upgrade headers in request: ${goHeaders(headers)}`;
    return rejection(400, text, { "x-stream-protocol-version": protocol });
  }
  return {
    status: 101,
    headers: {
      "x-stream-protocol-version": protocol,
      connection: "Upgrade",
      upgrade: "SPDY/3.1",
    },
    takeOver: (stream) => serve(stream, protocol),
  };
}

/** Headers as Go prints their type. */
function goHeaders(headers: Readonly<Record<string, string>>): string {
  const canonical = (name: string): string =>
    name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  const entries = Object.entries(headers)
    .filter(([name]) => name !== "host")
    .map(([name, value]) => `${JSON.stringify(canonical(name))}:[]string{${JSON.stringify(value)}}`)
    .sort();
  return `http.Header{${entries.join(", ")}}`;
}
