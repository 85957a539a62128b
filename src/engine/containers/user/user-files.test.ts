import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { readInRoot } from "./read-in-root.ts";
import { parseGroup, parsePasswd, readUserFiles } from "./user-files.ts";

each<[string, unknown]>([
  ["root:x:0:0:root:/root:/bin/sh", [{ name: "root", uid: 0, gid: 0, home: "/root" }]],
  ["# note\n\n  a:x:1:2\n", [{ name: "a", uid: 1, gid: 2, home: "" }]],
  ["a:x:1", [{ name: "a", uid: 1, gid: 0, home: "" }]],
  ["a:x:one:2::/:\nb:x:-1:2\nc:x:99999999999:2\n:x:1:1", []],
])("parsePasswd: %j", (text, expected) => {
  expect(parsePasswd(text)).toEqual(expected);
});

each<[string, unknown]>([
  [
    "a:x:1:\nb:x:2:c,d",
    [
      { name: "a", gid: 1, members: [] },
      { name: "b", gid: 2, members: ["c", "d"] },
    ],
  ],
  ["a:x:one:c", []],
])("parseGroup: %j", (text, expected) => {
  expect(parseGroup(text)).toEqual(expected);
});

describe("readInRoot", () => {
  let folder: string;
  let root: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wherry-users-"));
    root = join(folder, "root");
    mkdirSync(join(root, "etc"), { recursive: true });
    mkdirSync(join(root, "usr/lib"), { recursive: true });
    writeFileSync(join(folder, "secret"), "of the node");
    writeFileSync(join(root, "usr/lib/real"), "of the image");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  each<[target: string, expected: string | RegExp]>([
    ["/usr/lib/real", "of the image"],
    ["../usr/lib/real", "of the image"],
    ["../../../../usr/./lib//real", "of the image"],
    ["link", /ELOOP/],
    ["../../secret", /ENOENT/],
    ["/", /EISDIR/],
    ["/usr/lib/real/", "of the image"],
    ["/usr/lib/real/x", /ENOTDIR/],
  ])("a link to %s", async (target, expected) => {
    symlinkSync(target, join(root, "etc/link"));
    const read = readInRoot(root, "etc/link", 100);
    if (typeof expected === "string") expect(await read).toBe(expected);
    else await expect(read).rejects.toThrow(expected);
  });

  test("a path on the node is looked up in the root", async () => {
    symlinkSync(join(folder, "secret"), join(root, "etc/link"));
    await expect(readInRoot(root, "etc/link", 100)).rejects.toThrow(/ENOENT/);
    expect(readFileSync(join(root, "etc/link"), "utf8")).toBe("of the node");
  });

  test("only regular files of a bounded size are read", async () => {
    writeFileSync(join(root, "etc/large"), "");
    truncateSync(join(root, "etc/large"), 101);
    await expect(readInRoot(root, "etc/large", 100)).rejects.toThrow("is larger than 100 bytes");
    execFileSync("mkfifo", [join(root, "etc/pipe")]);
    await expect(readInRoot(root, "etc/pipe", 100)).rejects.toThrow("is not a regular file");
    await expect(readInRoot(root, "etc", 100)).rejects.toThrow("is not a regular file");
  });

  test("readUserFiles: files that do not exist are told from empty ones", async () => {
    writeFileSync(join(root, "etc/group"), "");
    expect(await readUserFiles(root)).toEqual({ users: undefined, groups: [] });
    symlinkSync("link", join(root, "etc/link"));
    symlinkSync("link", join(root, "etc/passwd"));
    await expect(readUserFiles(root)).rejects.toThrow(
      "openat etc/passwd: too many levels of symbolic links",
    );
  });
});
