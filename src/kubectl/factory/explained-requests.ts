import { header, type Transport } from "../../client/transport.ts";
import { maskedBody } from "./masked-body.ts";

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Prints each request that writes before it is sent: method, URL, media type and body. */
export function withExplainedRequests(
  transport: Transport,
  { server, write }: { readonly server: string; write(text: string): void },
): Transport {
  return (request) => {
    const { method, path, query, body, headers } = request;
    if (!reading.has(method)) {
      const lines = [`${method} ${server}${path}${query === "" ? "" : `?${query}`}`];
      if (body !== undefined) {
        lines.push(`Content-Type: ${header({ headers }, "content-type") ?? "application/json"}`);
        lines.push("", maskedBody(body, path).trimEnd());
      }
      write(`${lines.join("\n")}\n\n`);
    }
    return transport(request);
  };
}
