import type { TerminalSize } from "../../../cri/streams.ts";

/** The sizes of a terminal, of which only the latest matters to who reads them. */
export class SizeQueue implements AsyncIterable<TerminalSize> {
  #latest: TerminalSize | undefined;
  #wake: (() => void) | undefined;
  #isClosed = false;

  push(size: TerminalSize): void {
    this.#latest = size;
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalSize> {
    while (!this.#isClosed) {
      const size = this.#latest;
      this.#latest = undefined;
      if (size) yield size;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
