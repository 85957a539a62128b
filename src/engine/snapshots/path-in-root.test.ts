import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { followLinks, pathInRoot } from "./path-in-root.ts";

each<[path: string, clean: string | undefined]>([
  ["a/b", "a/b"],
  ["/a/b/", "a/b"],
  ["./a//./b", "a/b"],
  ["a/../b", "b"],
  ["", ""],
  ["./", ""],
  ["a/..", ""],
  ["..", undefined],
  ["../a", undefined],
  ["/../a", undefined],
  ["a/../../b", undefined],
  ["..a/b..", "..a/b.."],
])("pathInRoot: %s", (path, clean) => {
  expect(pathInRoot(path)).toBe(clean);
});

const links: Readonly<Record<string, string>> = {
  abs: "/etc",
  up: "../../../../etc",
  "dir/near": "../other",
  "dir/self": ".",
  chain: "abs/conf",
  loop: "loop",
  root: "/",
};

each<[path: string, last: string, keepsLast: string]>([
  ["plain/file", "plain/file", "plain/file"],
  ["abs/passwd", "etc/passwd", "etc/passwd"],
  ["up/passwd", "etc/passwd", "etc/passwd"],
  ["dir/near", "other", "dir/near"],
  ["dir/near/x", "other/x", "other/x"],
  ["dir/self/self/x", "dir/x", "dir/x"],
  ["chain", "etc/conf", "chain"],
  ["chain/..", "etc", "etc"],
  ["root/a", "a", "a"],
  ["root", "", "root"],
  ["../../a", "a", "a"],
])("followLinks: %s", (path, last, keepsLast) => {
  expect(followLinks(path, (link) => links[link], { followsLast: true })).toBe(last);
  expect(followLinks(path, (link) => links[link], { followsLast: false })).toBe(keepsLast);
});

test("followLinks: a loop is an error", () => {
  expect(() => followLinks("loop/x", (link) => links[link], { followsLast: true })).toThrow(
    "too many levels of symbolic links",
  );
});
