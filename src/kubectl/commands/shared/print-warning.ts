import { type Io, isTerminal } from "../../program/io.ts";

/** Prints a warning of the command itself, as often as it is given; yellow on a terminal. */
export function printWarning({ stderr }: Io, text: string): void {
  const word = isTerminal(stderr) ? "\u001b[33;1mWarning:\u001b[0m" : "Warning:";
  stderr.write(`${word} ${text}\n`);
}
