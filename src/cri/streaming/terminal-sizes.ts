import type { ByteStream } from "../../base/network.ts";
import type { TerminalSize } from "../streams.ts";

/** The sizes that a client sends as JSON objects, one after the other; ends where the JSON is invalid. */
export async function* terminalSizes(stream: ByteStream): AsyncGenerator<TerminalSize> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const bytes = await stream.read().catch(() => undefined);
    if (!bytes) return;
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}")) {
      const size = parseSize(text.slice(0, end + 1));
      if (!size) return;
      yield size;
      text = text.slice(end + 1);
    }
    if (text.length > longestSize) return;
  }
}

const longestSize = 1024;

function parseSize(text: string): TerminalSize | undefined {
  try {
    const fields = Object.entries(JSON.parse(text) as object);
    const number = (wanted: string): number => {
      const value: unknown = fields.findLast(([name]) => name.toLowerCase() === wanted)?.[1] ?? 0;
      if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > 65_535)
        throw new SyntaxError("not a size");
      return Number(value);
    };
    return { width: number("width"), height: number("height") };
  } catch {
    return undefined;
  }
}
