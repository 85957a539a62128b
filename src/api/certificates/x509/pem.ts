import { decodeBase64 } from "../../../base/base64.ts";

/** A PEM block. */
export interface PemBlock {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

const begin = "-----BEGIN ";
const end = "\n-----END ";
const dashes = "-----";

/** The PEM blocks of a text; malformed blocks and text between them are skipped. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let from = 0;
  for (;;) {
    const last = text.indexOf(end, from);
    if (last < 0) return;
    // Of several BEGIN lines, the one closest to the END line counts.
    const first = text.lastIndexOf(begin, last);
    const trailer = last + end.length;
    const atLineStart = first >= from && (first === 0 || text[first - 1] === "\n");
    const block = atLineStart ? blockBetween(text, first + begin.length, last) : undefined;
    if (block) yield block;
    from = trailer;
  }
}

/** Decodes Latin-1: each byte is a character. */
export const textOfBytes = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

function blockBetween(text: string, start: number, last: number): PemBlock | undefined {
  const typeLine = lineAt(text, start);
  if (!typeLine.text.endsWith(dashes)) return undefined;
  const type = typeLine.text.slice(0, -dashes.length);
  if (lineAt(text, last + end.length).text !== type + dashes) return undefined;
  const headers: Record<string, string> = {};
  let at = typeLine.next;
  while (at <= last) {
    const line = lineAt(text, at);
    const colon = line.text.indexOf(":");
    if (colon < 0) break;
    headers[line.text.slice(0, colon).trim()] = line.text.slice(colon + 1).trim();
    at = line.next;
  }
  try {
    return { type, headers, bytes: decodeBase64(text.slice(at, last).replace(/[ \t]/g, "")) };
  } catch {
    return undefined;
  }
}

/** A line without trailing white space, and the start of the next one. */
function lineAt(text: string, start: number): { readonly text: string; readonly next: number } {
  const newline = text.indexOf("\n", start);
  const stop = newline < 0 ? text.length : newline;
  return {
    text: text.slice(start, stop).replace(/[ \t\r]+$/, ""),
    next: newline < 0 ? text.length : newline + 1,
  };
}
