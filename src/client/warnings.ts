import type { TransportResponse } from "./transport.ts";

/** Returns the warnings of a response: the texts of its `Warning` headers with code 299. */
export function warningTexts({ headers }: Pick<TransportResponse, "headers">): string[] {
  const given = headers.warning;
  if (given === undefined) return [];
  const texts: string[] = [];
  // Intermediaries may join several headers to one line.
  for (const line of typeof given === "string" ? [given] : given)
    for (const [, text = ""] of line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g))
      texts.push(fromBytes(text.replaceAll(/\\(.)/g, "$1")));
  return texts;
}

/** Decodes a header value: over the network, each character is one byte of UTF-8. */
function fromBytes(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return decoder.decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return text;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });
