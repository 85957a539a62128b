import type { TransportResponse } from "./transport.ts";

/** What a server warns of: the texts of the headers `Warning` with the code 299. */
export function warningTexts({ headers }: Pick<TransportResponse, "headers">): string[] {
  const given = headers.warning;
  if (given === undefined) return [];
  const texts: string[] = [];
  // Several may have been joined to one line.
  for (const line of typeof given === "string" ? [given] : given)
    for (const [, text = ""] of line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g))
      texts.push(fromBytes(text.replaceAll(/\\(.)/g, "$1")));
  return texts;
}

/** Over a network, each character of a header is a byte of UTF-8. */
function fromBytes(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return decoder.decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return text;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });
