/** Splits a stream of bytes into lines of text. */
export interface LineSplitter {
  /** The lines that these bytes complete, without blank ones. */
  push(chunk: Uint8Array): string[];
  /** The incomplete last line. */
  rest(): string;
}

/** Creates a splitter for lines of at most so many bytes; it throws for a longer one. */
export function lineSplitter(longest: number): LineSplitter {
  let waiting: Uint8Array[] = [];
  let size = 0;
  const taken = (last?: Uint8Array): string => {
    const parts = last ? [...waiting, last] : waiting;
    waiting = [];
    size = 0;
    const [only] = parts;
    const bytes = parts.length === 1 && only ? only : Buffer.concat(parts);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  };
  return {
    push(chunk) {
      // A line feed is never part of a multi-byte character, so text up to one can be decoded.
      const end = chunk.lastIndexOf(newline) + 1;
      const lines = end === 0 ? [] : taken(chunk.subarray(0, end)).split("\n").filter(isFull);
      if (end < chunk.length) {
        waiting.push(chunk.subarray(end));
        size += chunk.length - end;
      }
      if (size > longest) throw new Error("object to decode was longer than maximum allowed size");
      return lines;
    },
    rest: () => taken(),
  };
}

const newline = 0x0a;
const isFull = (line: string): boolean => line !== "" && line !== "\r";
