import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { debuggedMessages, type FileLevel } from "./file-levels.ts";

const messages = { "a/list": ["one"], "a/b/lists": ["two"], "c/other": ["three"] };

each<[what: string, levels: FileLevel[], logged: string[]]>([
  ["none", [], []],
  ["a file by its name", [{ filePattern: "list", verbosity: 4 }], ["one"]],
  ["a level that is too low", [{ filePattern: "list", verbosity: 3 }], []],
  ["names by a pattern", [{ filePattern: "l*", verbosity: 9 }], ["one", "two"]],
  ["one letter", [{ filePattern: "list?", verbosity: 4 }], ["two"]],
  ["a dot is a dot", [{ filePattern: "l.st", verbosity: 4 }], []],
  ["a folder", [{ filePattern: "a/*", verbosity: 4 }], ["one"]],
  [
    "the first pattern that matches",
    [
      { filePattern: "list", verbosity: 0 },
      { filePattern: "*", verbosity: 4 },
    ],
    ["two", "three"],
  ],
])("debuggedMessages: %s", (_, levels, logged) => {
  expect([...debuggedMessages(levels, messages)]).toEqual(logged);
});
