import { Query } from "./query.ts";
import type { ApiBody, ApiRequest, ApiResponse } from "./request.ts";

/** Whether to indent JSON: the query or the Accept header asks for it, or the client is curl, wget or a browser. */
export function wantsPretty({ query, headers, path }: ApiRequest): boolean {
  // These documents are encoded once and never indented.
  if (path.startsWith("/openapi/")) return false;
  if (/;\s*pretty=1\s*(;|,|$)/.test(headers.accept ?? "")) return true;
  const asked = query.includes("pretty") ? new Query(query).text("pretty") : "";
  if (asked !== "") return /^(1|t|true)$/i.test(asked);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

/** The response with indented JSON; a stream, and anything but JSON, stays as it is. */
export function prettyResponse(response: ApiResponse): ApiResponse {
  if (response.headers["content-type"] !== "application/json") return response;
  const text = wholeText(response.body);
  return text === undefined ? response : { ...response, body: indentJson(text) };
}

/** Indents JSON with two spaces, as Go does, without decoding it: no value can change. */
export function indentJson(text: string): string {
  let out = "";
  let depth = 0;
  const newLine = (): string => `\n${"  ".repeat(depth)}`;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? "";
    switch (character) {
      case '"': {
        const end = endOfString(text, i);
        out += text.slice(i, end + 1);
        i = end;
        break;
      }
      case "{":
      case "[": {
        const next = text[i + 1];
        if (next === "}" || next === "]") {
          out += character + next;
          i++;
          break;
        }
        depth++;
        out += character + newLine();
        break;
      }
      case "}":
      case "]":
        depth--;
        out += newLine() + character;
        break;
      case ",":
        out += character + newLine();
        break;
      case ":":
        out += ": ";
        break;
      case " ":
      case "\n":
        break;
      default:
        out += character;
    }
  }
  return out;
}

/** The index at which a string ends: that of the first quote that is not escaped. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}

function wholeText(body: ApiBody): string | undefined {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (!Array.isArray(body)) return undefined;
  return (body as readonly (Uint8Array | string)[])
    .map((chunk) => (typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
    .join("");
}
