import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { goFileMode } from "./go-file-mode.ts";

each<[what: string, posix: number, go: number]>([
  ["a file", 0o100644, 0o644],
  ["a folder", 0o040755, 2147484141],
  ["a sticky folder", 0o041777, 2148532735],
  ["a link", 0o120777, 134218239],
  ["a setuid program", 0o104755, 8389101],
  ["a setgid program", 0o102755, 4194797],
  ["a character device", 0o020666, 69206454],
  ["a block device", 0o060660, 67109296],
  ["a fifo", 0o010600, 33554816],
  ["a socket", 0o140755, 16777709],
])("goFileMode: %s", (_what, posix, go) => {
  expect(goFileMode(posix)).toBe(go);
});
