import type { Output } from "../../cli/command.ts";
import { quote } from "../../schema/values/quote.ts";

/** Whether the output is a terminal, not a file or a program. */
export const isTerminal = (output: Output): boolean => output.columns !== undefined;

const colours = { green: 32, yellow: 33, red: 31, grey: 90 } as const;
export type Colour = keyof typeof colours;

/** Colours text on a terminal, unless NO_COLOR is set. */
export function painted(output: Output, colour: Colour, text: string): string {
  if (!isTerminal(output) || (process.env.NO_COLOR ?? "") !== "") return text;
  return `\u001b[${colours[colour]}m${text}\u001b[0m`;
}

/** Quotes a name with control characters, which could change the state of a terminal. */
export const printable = (output: Output, name: string): string =>
  isTerminal(output) && /\p{C}/u.test(name) ? quote(name) : name;

/** Formats rows in columns under a heading, with kubectl's layout. */
export function tableText(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((row) => row[column]?.length ?? 0)),
  );
  return lines
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** Formats rows for programs: values separated by tabs, without a heading. */
export const lineText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.join("\t")}\n`).join("");
