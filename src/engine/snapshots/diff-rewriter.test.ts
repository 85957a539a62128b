import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { diffRewriter } from "./diff-rewriter.ts";
import { type TestEntry, testEntry } from "./layer-archive.test-support.ts";

const opaque = { "SCHILY.xattr.trusted.overlay.opaque": "y" };

each<[what: string, entry: TestEntry, result: readonly TestEntry[]]>([
  ["the root is left out", { name: "./", type: "directory", pax: opaque }, []],
  ["a file", { name: "./a/b", uid: 5, data: "x" }, [{ name: "a/b", uid: 5, data: "x" }]],
  [
    "a hard link",
    { name: "./a", type: "hardLink", linkName: "./b" },
    [{ name: "a", type: "hardLink", linkName: "b" }],
  ],
  [
    "a symbolic link",
    { name: "./a", type: "symlink", linkName: "./b" },
    [{ name: "a", type: "symlink", linkName: "./b" }],
  ],
  [
    "a deleted file",
    { name: "./a/b", type: "charDevice", mode: 0 },
    [{ name: "a/.wh.b", mode: 0 }],
  ],
  ["at the root", { name: "./b", type: "charDevice", mode: 0 }, [{ name: ".wh.b", mode: 0 }]],
  [
    "a device",
    { name: "./null", type: "charDevice", devMajor: 1, devMinor: 3 },
    [{ name: "null", type: "charDevice", devMajor: 1, devMinor: 3 }],
  ],
  [
    "an opaque directory",
    { name: "./a/", type: "directory", pax: { ...opaque, "SCHILY.xattr.user.x": "1" } },
    [
      { name: "a/", type: "directory", pax: { "SCHILY.xattr.user.x": "1" } },
      { name: "a/.wh..wh..opq", mode: 0 },
    ],
  ],
  [
    "overlay's other attributes",
    { name: "./a/", type: "directory", pax: { "SCHILY.xattr.trusted.overlay.origin": "\0" } },
    [{ name: "a/", type: "directory" }],
  ],
])("diffRewriter: %s", (_what, entry, result) => {
  expect(diffRewriter.rewrite(testEntry(entry))).toEqual(result.map(testEntry));
});
