import type { Output } from "../../cli/command.ts";

/** Shows people what is under way. */
export interface Progress {
  say(text: string): void;
  /** Removes what was shown from the terminal. */
  end(): void;
}

/** Progress on a terminal is one line that changes; elsewhere it is a line for each step. */
export function createProgress(output: Output): Progress {
  if (output.columns === undefined)
    return { say: (text) => output.write(`${text}\n`), end: () => {} };
  let isShown = false;
  return {
    say(text) {
      isShown = true;
      output.write(`\r\x1b[K${text.slice(0, Math.max(20, (output.columns ?? 80) - 1))}`);
    },
    end() {
      if (isShown) output.write("\r\x1b[K");
    },
  };
}
