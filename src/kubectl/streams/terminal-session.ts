import type { TerminalSize } from "../../cri/streams.ts";
import { ExitError } from "../program/command-error.ts";
import type { Output } from "../program/io.ts";
import type { CommandContext } from "../program/kubectl-command.ts";

/** How a command uses the terminal of its user, if there is one. */
export interface TerminalUse {
  readonly stdin: boolean;
  /** Whether keys are passed on unseen, and the size of the terminal is told. */
  readonly isRaw: boolean;
  /** Whether the size first is another one, so that programs draw the screen again. */
  readonly redraws?: boolean;
}

/** What a session in a terminal reads. */
export interface TerminalInput {
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  readonly resize: AsyncIterable<TerminalSize> | undefined;
}

/** Says which terminal a command gets: none without input, and none if the input is not a terminal. */
export function terminalUse(
  { io }: Pick<CommandContext, "io">,
  {
    stdin,
    tty,
    quiet,
  }: { readonly stdin: boolean; readonly tty: boolean; readonly quiet: boolean },
): TerminalUse {
  if (!stdin || !tty) return { stdin, isRaw: false };
  if (io.stdin.isTerminal) return { stdin, isRaw: true };
  if (!quiet)
    io.stderr.write("Unable to use a TTY - input is not a terminal or the right kind of file\n");
  return { stdin, isRaw: false };
}

/** Runs a session with the terminal as it needs it, which is restored whatever happens. */
export async function inTerminal(
  { io, signal }: Pick<CommandContext, "io" | "signal">,
  { stdin, isRaw, redraws = false }: TerminalUse,
  run: (input: TerminalInput) => Promise<void>,
): Promise<void> {
  const input = stdin ? leavable(io.stdin) : undefined;
  const resize = isRaw ? terminalSizes(io.stdout, redraws) : undefined;
  try {
    if (isRaw) io.stdin.setRawMode?.(true);
    await run({ stdin: input, resize });
  } catch (error) {
    // The original handles signals while it has a terminal.
    if (signal.aborted && stdin && io.stdin.isTerminal) throw new ExitError(1);
    throw error;
  } finally {
    if (isRaw) io.stdin.setRawMode?.(false);
    resize?.close();
    input?.close();
  }
}

/** An input whose reader can leave while a read is pending. */
function leavable(input: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> & { close(): void } {
  let iterator: AsyncIterator<Uint8Array> | undefined;
  return {
    [Symbol.asyncIterator]() {
      iterator ??= input[Symbol.asyncIterator]();
      return iterator;
    },
    close: () => void iterator?.return?.().catch(() => {}),
  };
}

/** The size of a terminal, and each change; undefined if the output is not a terminal. */
function terminalSizes(
  output: Output,
  redraws: boolean,
): (AsyncIterable<TerminalSize> & { close(): void }) | undefined {
  const first = sizeOf(output);
  if (!first) return undefined;
  const { width, height } = first;
  const waiting = redraws ? [{ width: width + 1, height: height + 1 }, first] : [first];
  let isOver = false;
  let wake = (): void => {};
  const unfollow = output.onResize?.(() => {
    const size = sizeOf(output);
    if (size) waiting.push(size);
    wake();
  });
  return {
    async *[Symbol.asyncIterator]() {
      while (!isOver) {
        const size = waiting.shift();
        if (size) yield size;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    close() {
      isOver = true;
      unfollow?.();
      wake();
    },
  };
}

function sizeOf({ columns, rows }: Output): TerminalSize | undefined {
  return columns === undefined || rows === undefined ? undefined : { width: columns, height: rows };
}
