import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { splitCommandLine } from "./split-command-line.ts";

each<[line: string, args: string[]]>([
  ["get pods", ["get", "pods"]],
  ["  get   pods ", ["get", "pods"]],
  ["", []],
  [
    `get -o 'jsonpath={.items[*].metadata.name}'`,
    ["get", "-o", "jsonpath={.items[*].metadata.name}"],
  ],
  [`label pod a "b=c d" e=''`, ["label", "pod", "a", "b=c d", "e="]],
  [String.raw`-p {\"a\":1} "x\"y\$"`, ["-p", '{"a":1}', 'x"y$']],
  [String.raw`a\ b 'c\d'`, ["a b", String.raw`c\d`]],
])("splitCommandLine: %s", (line, args) => {
  expect(splitCommandLine(line)).toEqual(args);
});
