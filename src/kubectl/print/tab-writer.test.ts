import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { TabWriter } from "./tab-writer.ts";

/** What is written, each part flushed on its own. */
function aligned(parts: readonly string[]): string {
  let out = "";
  const write = (text: string): void => {
    out += text;
  };
  const writer = new TabWriter({ write });
  for (const part of parts) {
    writer.write(part);
    writer.flush();
  }
  return out;
}

each<[parts: string[], output: string]>([
  [[""], ""],
  [["a\tb\n"], "a     b\n"],
  [["longer name\tb\nx\ty\n"], "longer name   b\nx             y\n"],
  [["a\tb\n", "longer name\tb\n", "c\td\n"], "a     b\nlonger name   b\nc             d\n"],
  [["wide cell here\tb\nalone\nx\ty\n"], "wide cell here   b\nalone\nx                y\n"],
  [["é\tb\n"], "é     b\n"],
  [["a\t\tc\n"], "a           c\n"],
  [["a\tb"], "a     b"],
  [["a\tb\f", "c\td\n"], "a     b\nc     d\n"],
])("TabWriter: %j", (parts, output) => {
  expect(aligned(parts)).toBe(output);
});
