import { quote } from "../../../schema/values/quote.ts";
import { type HttpGetRequest, type HttpHeaders, isHeaderName } from "./http-get-request.ts";

/** The lines of a request for HTTP/1.1, with further headers at the end; throws if a header is invalid. */
export function requestHead(request: HttpGetRequest, extra: readonly string[]): string {
  const { url, headers } = request;
  checkHeaders(headers);
  const lines = [`GET ${url.path || "/"}${url.query} HTTP/1.1`, `Host: ${hostOf(request)}`];
  const agent = headers.get("User-Agent")?.[0]?.trim() ?? "";
  if (agent !== "") lines.push(`User-Agent: ${agent}`);
  for (const name of [...headers.keys()].sort())
    if (!ownHeaders.has(name))
      for (const value of headers.get(name) ?? []) lines.push(`${name}: ${value.trim()}`);
  lines.push(...extra);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Headers that are not taken from the list. */
export const ownHeaders: ReadonlySet<string> = new Set([
  "Host",
  "User-Agent",
  "Content-Length",
  "Transfer-Encoding",
  "Trailer",
]);

/** Throws if a header cannot be sent, as Go does: a line break in one must not start another. */
export function checkHeaders(headers: HttpHeaders): void {
  for (const [name, values] of headers) {
    if (!isHeaderName(name)) throw new Error(`net/http: invalid header field name ${quote(name)}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    if (values.some((value) => /[\x00-\x08\x0a-\x1f\x7f]/.test(value)))
      throw new Error(`net/http: invalid header field value for ${quote(name)}`);
  }
}

/** The value of the header Host: without the zone of an address, and empty if it is invalid. */
export function hostOf({ url, host }: HttpGetRequest): string {
  const wanted = host || url.authority;
  if (!/^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/.test(wanted)) return "";
  return wanted.replace(/^(\[[^%\]]*)%[^\]]*\]/, "$1]");
}
