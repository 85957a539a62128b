import type { Output } from "../../cli/command.ts";
import { quote } from "../../schema/values/quote.ts";

/** Whether people look at it; else programs read it, or it is kept. */
export const isTerminal = (output: Output): boolean => output.columns !== undefined;

const colours = { green: 32, yellow: 33, red: 31, grey: 90 } as const;
export type Colour = keyof typeof colours;

/** Text in a colour, on a terminal of somebody who did not ask for none. */
export function painted(output: Output, colour: Colour, text: string): string {
  if (!isTerminal(output) || (process.env.NO_COLOR ?? "") !== "") return text;
  return `\u001b[${colours[colour]}m${text}\u001b[0m`;
}

/** A name that anybody may have chosen, quoted where it could put a terminal into a state of its own. */
export const printable = (output: Output, name: string): string =>
  isTerminal(output) && /\p{C}/u.test(name) ? quote(name) : name;

/** Rows in columns under a heading, as kubectl lays them out. */
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

/** Rows for programs: values with tabs between them, and no heading. */
export const lineText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.join("\t")}\n`).join("");
