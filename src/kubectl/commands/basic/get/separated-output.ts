import type { Output } from "../../../program/io.ts";

/** An output for several tables, with an empty line between them. */
export class SeparatedOutput implements Output {
  readonly #out: Output;
  #isNext = false;
  #hasWritten = false;

  constructor(out: Output) {
    this.#out = out;
  }

  get columns(): number | undefined {
    return this.#out.columns;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** What is written next comes after an empty line, unless it is the first. */
  separate(): void {
    this.#isNext = this.#hasWritten;
  }

  write(text: string | Uint8Array): void {
    if (text.length === 0) return;
    if (this.#isNext) this.#out.write("\n");
    this.#isNext = false;
    this.#hasWritten = true;
    this.#out.write(text);
  }
}
