import type { Output } from "../../cli/command.ts";

interface Cell {
  readonly text: string;
  readonly width: number;
}

const minWidth = 6;
const padding = 3;

/**
 * Aligns cells that end with tabs in columns, as kubectl's tables are: a column is as wide as its widest
 * cell in adjacent lines, and never becomes narrower than it was before.
 */
export class TabWriter implements Output {
  readonly #out: Output;
  #lines: Cell[][] = [[]];
  #cell = "";
  readonly #widest: number[] = [];

  constructor(out: Output) {
    this.#out = out;
  }

  get columns(): number | undefined {
    return this.#out.columns;
  }

  write(text: string): void {
    for (const part of text.split(/([\t\v\n\f])/)) {
      if (!/^[\t\v\n\f]$/.test(part)) {
        this.#cell += part;
        continue;
      }
      const cells = this.#endCell();
      if (part !== "\n" && part !== "\f") continue;
      this.#lines.push([]);
      // A line of one cell has no column that later lines could share.
      if (part === "\f" || cells === 1) this.flush();
    }
  }

  /** Writes what was collected; columns that follow are at least as wide. */
  flush(): void {
    if (this.#cell !== "") this.#endCell();
    const text = new Layout(this.#lines, this.#widest).text();
    this.#lines = [[]];
    if (text !== "") this.#out.write(text);
  }

  #endCell(): number {
    const line = this.#lines.at(-1) as Cell[];
    line.push({ text: this.#cell, width: [...this.#cell].length });
    this.#cell = "";
    return line.length;
  }
}

class Layout {
  readonly #lines: readonly (readonly Cell[])[];
  readonly #widest: number[];
  readonly #widths: number[] = [];
  #out = "";

  constructor(lines: readonly (readonly Cell[])[], widest: number[]) {
    this.#lines = lines;
    this.#widest = widest;
  }

  text(): string {
    this.#format(0, this.#lines.length);
    return this.#out;
  }

  /** Formats lines whose columns so far have their widths. */
  #format(from: number, to: number): void {
    const column = this.#widths.length;
    let start = from;
    for (let i = from; i < to; i++) {
      if (!this.#hasColumn(i, column)) continue;
      this.#write(start, i);
      start = i;
      let width = minWidth;
      for (; i < to && this.#hasColumn(i, column); i++)
        width = Math.max(width, (this.#lines[i]?.[column]?.width ?? 0) + padding);
      this.#widths.push(this.#remembered(width));
      this.#format(start, i);
      this.#widths.pop();
      start = i;
    }
    this.#write(start, to);
  }

  /** The last cell of a line belongs to no column. */
  #hasColumn(line: number, column: number): boolean {
    return column < (this.#lines[line]?.length ?? 0) - 1;
  }

  #remembered(width: number): number {
    const column = this.#widths.length;
    for (let i = this.#widest.length; i < column; i++) this.#widest.push(this.#widths[i] ?? 0);
    const widest = Math.max(this.#widest[column] ?? 0, width);
    this.#widest[column] = widest;
    return widest;
  }

  #write(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      for (const [column, { text, width }] of (this.#lines[i] ?? []).entries()) {
        const columnWidth = this.#widths[column] ?? width;
        this.#out += text + " ".repeat(columnWidth - width);
      }
      if (i + 1 < this.#lines.length) this.#out += "\n";
    }
  }
}
