import type { Output } from "../../cli/command.ts";

/** Shows users the current step. */
export interface Progress {
  show(text: string): void;
  /** Erases the line from the terminal. */
  end(): void;
}

/** On a terminal, progress is one line that changes; elsewhere it is one line for each step. */
export function createProgress(output: Output): Progress {
  if (output.columns === undefined)
    return { show: (text) => output.write(`${text}\n`), end: () => {} };
  let isShown = false;
  return {
    show(text) {
      isShown = true;
      output.write(`\r\x1b[K${text.slice(0, Math.max(20, (output.columns ?? 80) - 1))}`);
    },
    end() {
      if (isShown) output.write("\r\x1b[K");
    },
  };
}
