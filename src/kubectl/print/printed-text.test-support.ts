import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import type { Printer, WatchEvent } from "./printer.ts";

export type Printed = ReadonlyJsonMap | WatchEvent;

/** The options that a test of another does not care for. */
export const anyOptions = {
  output: "",
  readFile(path: string): string {
    throw new Error(`open ${path}: no such file or directory`);
  },
  now: () => Date.UTC(2020, 0, 1),
};

/** What is printed, and behind it the error. */
export function printedText(choose: () => Printer, objects: readonly Printed[]): string {
  let out = "";
  const write = (text: string): void => {
    out += text;
  };
  try {
    const printer = choose();
    for (const object of objects) printer.print(object, { write });
  } catch (error) {
    write(`error: ${(error as Error).message}`);
  }
  return out;
}
