/** A place in an expression: lines count from 1, columns from 0. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** The place of what has no place. */
export const noLocation: Location = { line: -1, column: -1 };

/** The text of an expression. Offsets count code points. */
export interface Source {
  readonly characters: readonly string[];
  /** The offsets after each line; of an empty text it is 0, which is why nothing is on its line 1. */
  readonly lineEnds: readonly number[];
}

export function createSource(text: string): Source {
  const characters = Array.from(text);
  if (characters.length === 0) return { characters, lineEnds: [0] };
  const lineEnds = characters.flatMap((character, offset) =>
    character === "\n" ? [offset + 1] : [],
  );
  return { characters, lineEnds: [...lineEnds, characters.length + 1] };
}

/** The place of an offset. An empty text has only the place before it. */
export function locate(source: Source, offset: number): Location {
  if (source.characters.length === 0 || offset < 0) return { line: 1, column: -1 };
  const before = source.lineEnds.filter((end) => end <= offset);
  return { line: before.length + 1, column: offset - (before.at(-1) ?? 0) };
}

/** The text of a line, without its end. */
export function lineOf(source: Source, line: number): string | undefined {
  const { characters, lineEnds } = source;
  if (line < 1 || line > lineEnds.length || characters.length === 0) return undefined;
  const start = line === 1 ? 0 : (lineEnds[line - 2] ?? 0);
  return characters.slice(start, (lineEnds[line - 1] ?? 0) - 1).join("");
}
