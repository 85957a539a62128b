import type { Output } from "../../cli/command.ts";

interface Cell {
  readonly text: string;
  readonly width: number;
}

export interface TabWriterOptions {
  readonly minWidth: number;
  readonly padding: number;
  /** Whether a column never becomes narrower than it was before. */
  readonly remembersWidths: boolean;
}

/** As kubectl's tables are. */
const tableOptions: TabWriterOptions = { minWidth: 6, padding: 3, remembersWidths: true };

/** Aligns cells that end with tabs in columns: a column is as wide as its widest cell in adjacent lines. */
export class TabWriter implements Output {
  readonly #out: Output;
  readonly #options: TabWriterOptions;
  #lines: Cell[][] = [[]];
  #cell = "";
  readonly #widest: number[] = [];

  constructor(out: Output, options: TabWriterOptions = tableOptions) {
    this.#out = out;
    this.#options = options;
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

  /** Writes what was collected; columns that follow are at least as wide if widths are remembered. */
  flush(): void {
    if (this.#cell !== "") this.#endCell();
    const widest = this.#options.remembersWidths ? this.#widest : [];
    const text = new Layout(this.#lines, widest, this.#options).text();
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
  readonly #options: TabWriterOptions;
  readonly #widths: number[] = [];
  #out = "";

  constructor(lines: readonly (readonly Cell[])[], widest: number[], options: TabWriterOptions) {
    this.#lines = lines;
    this.#widest = widest;
    this.#options = options;
  }

  text(): string {
    this.#format(0, this.#lines.length);
    return this.#out;
  }

  /** Formats lines whose columns so far have their widths. */
  #format(from: number, to: number): void {
    const column = this.#widths.length;
    const { minWidth, padding } = this.#options;
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
    if (!this.#options.remembersWidths) return width;
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
