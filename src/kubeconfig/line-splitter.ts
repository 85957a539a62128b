/** Splits bytes into lines of text, whatever the chunks in which they arrive. */
export interface LineSplitter {
  /** The lines that have become whole, without those that are blank. */
  push(chunk: Uint8Array): string[];
  /** What came after the last line. */
  rest(): string;
}

/** A splitter of lines of at most so many bytes; throws at a longer one. */
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
      // A newline is never part of a character, so that what ends with one is whole.
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
