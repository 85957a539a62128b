import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type TestEntry, testEntry } from "./layer-archive.test-support.ts";
import { LayerRewriter } from "./layer-rewriter.ts";

const limits = { bytes: 10_000, entries: 20 };

/** What comes out, in the form `TYPE NAME`, with the target of a link and what is special. */
function rewritten(entries: readonly TestEntry[]): string[] {
  const rewriter = new LayerRewriter(limits);
  return entries.flatMap((entry) =>
    rewriter.rewrite(testEntry(entry)).map(({ type, name, linkName, mode, pax }) => {
      const link = linkName === "" ? "" : ` -> ${linkName}`;
      const opaque = pax.get("SCHILY.xattr.trusted.overlay.opaque") === "y" ? " opaque" : "";
      const own = type === "directory" ? ` ${mode.toString(8)}` : "";
      return `${type} ${name}${link}${own}${opaque}`;
    }),
  );
}

const dir = (name: string, mode = 0o755): TestEntry => ({ name, type: "directory", mode });
const symlink = (name: string, linkName: string): TestEntry => ({
  name,
  type: "symlink",
  linkName,
});
const hardLink = (name: string, linkName: string): TestEntry => ({
  name,
  type: "hardLink",
  linkName,
});

each<[what: string, entries: readonly TestEntry[], result: readonly string[]]>([
  ["plain files", [dir("./"), { name: "a" }], ["directory ./ 755", "file ./a"]],
  ["leading slashes are dropped", [{ name: "/a" }, { name: "//./b" }], ["file ./a", "file ./b"]],
  ["names are cleaned", [{ name: "x/../a" }], ["file ./a"]],
  [
    "missing folders are made",
    [{ name: "a/b/c" }, { name: "a/d" }],
    ["directory ./a/ 755", "directory ./a/b/ 755", "file ./a/b/c", "file ./a/d"],
  ],
  ["targets of symbolic links stay", [symlink("a", "/../etc")], ["symlink ./a -> /../etc"]],
  [
    "entries below a link go to where it leads in the root",
    [symlink("a", "/etc"), { name: "a/b" }, symlink("c", "../../usr/lib"), { name: "c/d" }],
    [
      "symlink ./a -> /etc",
      "directory ./etc/ 755",
      "file ./etc/b",
      "symlink ./c -> ../../usr/lib",
      "directory ./usr/ 755",
      "directory ./usr/lib/ 755",
      "file ./usr/lib/d",
    ],
  ],
  [
    "a hard link to a symbolic link is one",
    [symlink("a", "/etc"), hardLink("b", "a"), { name: "b/c" }],
    ["symlink ./a -> /etc", "hardLink ./b -> ./a", "directory ./etc/ 755", "file ./etc/c"],
  ],
  [
    "the target of a hard link is found through links",
    [symlink("a", "/etc"), { name: "etc/x" }, hardLink("b", "/a/x")],
    ["symlink ./a -> /etc", "directory ./etc/ 755", "file ./etc/x", "hardLink ./b -> ./etc/x"],
  ],
  [
    "a link that was replaced leads nowhere",
    [symlink("a", "/etc"), dir("a"), { name: "a/b" }],
    ["symlink ./a -> /etc", "directory ./a/ 755", "file ./a/b"],
  ],
  [
    "whiteouts",
    [{ name: "a/.wh.b" }, { name: ".wh.c" }],
    ["directory ./a/ 755", "charDevice ./a/b", "charDevice ./c"],
  ],
  [
    "a whiteout through a link",
    [symlink("a", "/etc"), { name: "a/.wh.x" }],
    ["symlink ./a -> /etc", "directory ./etc/ 755", "charDevice ./etc/x"],
  ],
  ["a whiteout of what the layer has itself", [{ name: "a" }, { name: ".wh.a" }], ["file ./a"]],
  [
    "a file in the place of a whiteout",
    [{ name: ".wh.a" }, { name: "a" }],
    ["charDevice ./a", "file ./a"],
  ],
  [
    "a folder in the place of a whiteout hides the lower one",
    [{ name: ".wh.a" }, dir("a", 0o700), { name: ".wh.b" }, { name: "b/c" }],
    [
      "charDevice ./a",
      "directory ./a/ 700 opaque",
      "charDevice ./b",
      "directory ./b/ 755 opaque",
      "file ./b/c",
    ],
  ],
  [
    "opaque: keeps what the folder is",
    [dir("a", 0o700), { name: "a/b" }, { name: "a/.wh..wh..opq" }],
    ["directory ./a/ 700", "file ./a/b", "directory ./a/ 700 opaque"],
  ],
  [
    "opaque: before its folder",
    [{ name: "a/.wh..wh..opq" }, dir("a", 0o700)],
    ["directory ./a/ 755 opaque", "directory ./a/ 700 opaque"],
  ],
  ["opaque: the root", [{ name: ".wh..wh..opq" }], ["directory ./ 755 opaque"]],
  [
    "files of AUFS are left out",
    [dir(".wh..wh.plnk"), { name: ".wh..wh.plnk/1" }, { name: ".wh..wh.aufs" }],
    [],
  ],
  [
    "devices and fifos",
    [
      { name: "a", type: "blockDevice", devMajor: 8 },
      { name: "b", type: "fifo" },
    ],
    ["blockDevice ./a", "fifo ./b"],
  ],
])("LayerRewriter: %s", (_what, entries, result) => {
  expect(rewritten(entries)).toEqual(result);
});

each<[what: string, entries: readonly TestEntry[], reason: string]>([
  ["..", [{ name: "../a" }], '"../a" is outside of the root'],
  [".. after a folder", [{ name: "a/../../b" }], "is outside of the root"],
  ["an absolute ..", [{ name: "/../a" }], "is outside of the root"],
  ["a folder outside", [dir("..")], "is outside of the root"],
  ["a whiteout outside", [{ name: "../.wh.a" }], "is outside of the root"],
  ["a whiteout of the parent", [{ name: "a/.wh..." }], "invalid whiteout name"],
  ["a whiteout of its folder", [{ name: "a/.wh.." }], "invalid whiteout name"],
  ["a whiteout of nothing", [{ name: ".wh." }], "invalid whiteout name"],
  ["opaque outside", [{ name: "../.wh..wh..opq" }], "is outside of the root"],
  [
    "a hard link outside",
    [hardLink("a", "../etc/passwd")],
    'invalid hardlink "a" -> "../etc/passwd"',
  ],
  ["a hard link outside, absolute", [hardLink("a", "/../etc")], "invalid hardlink"],
  ["a root that is a link", [symlink(".", "/etc")], "the root of a layer must be a directory"],
  ["a root that is a file", [{ name: "a/.." }], "the root of a layer must be a directory"],
  ["a name longer than any path", [{ name: "x/".repeat(2049) }], "File name too long"],
  ["a target longer than any path", [symlink("a", "x".repeat(4097))], "File name too long"],
  ["links in a circle", [symlink("a", "b"), symlink("b", "a"), { name: "a/c" }], "too many levels"],
  [
    "too many entries",
    Array.from({ length: 21 }, (_, n) => ({ name: `f${n}` })),
    "more than 20 entries",
  ],
  ["a large sparse file", [{ name: "a", fileSize: 10_001 }], "larger than 10000 bytes"],
  [
    "large files together",
    [
      { name: "a", fileSize: 6000 },
      { name: "b", fileSize: 6000 },
    ],
    "larger than 10000 bytes",
  ],
])("LayerRewriter: refuses %s", (_what, entries, reason) => {
  expect(() => rewritten(entries)).toThrow(reason);
});

test("LayerRewriter: refuses names that together take too much memory", () => {
  const rewriter = new LayerRewriter({ bytes: 10_000, entries: 1_000_000 });
  const deep = "/d".repeat(2000);
  const all = (): void => {
    for (let n = 0; n < 1000; n++) rewriter.rewrite(testEntry({ name: `${n}${deep}` }));
  };
  expect(all).toThrow("too long together");
});

test("LayerRewriter: refuses a stream that is too long", () => {
  const rewriter = new LayerRewriter(limits);
  rewriter.count(9000);
  expect(() => rewriter.count(1001)).toThrow("layer is larger than 10000 bytes");
});

test("LayerRewriter: overlay's own attributes are dropped, others stay", () => {
  const pax = {
    "SCHILY.xattr.trusted.overlay.redirect": "/etc",
    "SCHILY.xattr.trusted.overlay.opaque": "y",
    "SCHILY.xattr.user.overlay.metacopy": "",
    "SCHILY.xattr.security.capability": "\x01",
  };
  for (const type of ["file", "directory"] as const) {
    const [entry] = new LayerRewriter(limits).rewrite(testEntry({ name: "a", type, pax }));
    expect(entry?.pax).toEqual(new Map([["SCHILY.xattr.security.capability", "\x01"]]));
  }
});
