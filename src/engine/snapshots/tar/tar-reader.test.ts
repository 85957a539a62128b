import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { encodePaxRecords } from "./pax-records.ts";
import { encodeTarEntry, type TarEntry } from "./tar-entry.ts";
import { encodeTarHeader, paddingOf, type TarType } from "./tar-header.ts";
import { TarReader } from "./tar-reader.ts";

interface Read {
  readonly entry: TarEntry;
  data: string;
}

/** Reads an archive in pieces of some size. */
function readTar(tar: Buffer, pieceBytes = tar.length): Read[] {
  const all: Read[] = [];
  let ends = 0;
  const reader = new TarReader({
    entry: (entry) => all.push({ entry, data: "" }),
    data: (bytes) => {
      const last = all.at(-1);
      if (last) last.data += bytes.toString("latin1");
    },
    entryEnd: () => ends++,
  });
  for (let at = 0; at < tar.length; at += pieceBytes)
    reader.push(tar.subarray(at, at + pieceBytes));
  reader.end();
  expect(ends).toBe(all.length);
  return all;
}

function block(type: TarType, name: string, body = ""): Buffer {
  const data = Buffer.from(body, "latin1");
  const header = encodeTarHeader({
    ...{ name, type, mode: 0o644, uid: 0, gid: 0, size: data.length, mtime: 5 },
    ...{ linkName: "", devMajor: 0, devMinor: 0 },
  });
  return Buffer.concat([header, data, Buffer.alloc(paddingOf(data.length))]);
}

const pax = (records: Readonly<Record<string, string>>): Buffer =>
  block("pax", "pax", encodePaxRecords(new Map(Object.entries(records))).toString("latin1"));

const end = Buffer.alloc(1024);
const long = "n".repeat(300);

const archive = Buffer.concat([
  block("directory", "dir/"),
  block("file", "dir/file", "x".repeat(1000)),
  block("longLink", "././@LongLink", `${long}\0`),
  block("longName", "././@LongLink", `${long}\0`),
  block("symlink", "short"),
  block("paxGlobal", "global", encodePaxRecords(new Map([["path", "ignored"]])).toString("latin1")),
  pax({
    path: `${long}2`,
    mtime: "7.25",
    uid: "4000000000",
    "SCHILY.xattr.user.a": "\xff",
    comment: "c",
  }),
  block("file", "short", "y".repeat(512)),
  block("file", "last"),
  end,
]);

const expected = [
  ["dir/", "directory", 0, ""],
  ["dir/file", "file", 1000, "x".repeat(1000)],
  [long, "symlink", 0, ""],
  [`${long}2`, "file", 512, "y".repeat(512)],
  ["last", "file", 0, ""],
];

each<[pieceBytes: number]>([[1], [7], [511], [512], [513], [4096], [archive.length]])(
  "TarReader: in pieces of %i bytes",
  (pieceBytes) => {
    const all = readTar(archive, pieceBytes);
    expect(all.map(({ entry, data }) => [entry.name, entry.type, entry.size, data])).toEqual(
      expected,
    );
    expect(all[2]?.entry.linkName).toBe(long);
    expect(all[3]?.entry).toMatchObject({
      mtime: 7,
      uid: 4_000_000_000,
      pax: new Map([
        ["mtime", "7.25"],
        ["SCHILY.xattr.user.a", "\xff"],
      ]),
    });
  },
);

test("TarReader: an archive may end without empty blocks, and what follows them is not read", () => {
  expect(readTar(archive.subarray(0, -1024))).toHaveLength(5);
  expect(readTar(archive.subarray(0, -512))).toHaveLength(5);
  expect(readTar(Buffer.concat([archive, Buffer.from("anything")]))).toHaveLength(5);
  expect(readTar(Buffer.alloc(0))).toEqual([]);
});

test("TarReader: an archive that ends within an entry is an error, wherever", () => {
  const borders = new Set([0]);
  const reader = new TarReader({ entry: () => {}, data: () => {}, entryEnd: () => {} });
  for (let at = 0; at < archive.length - 1024; at += 64) {
    // Where an entry is complete, the archive may end.
    try {
      reader.end();
      borders.add(at);
    } catch {
      expect(() => readTar(archive.subarray(0, at))).toThrow("unexpected EOF");
    }
    reader.push(archive.subarray(at, at + 64));
  }
  // Global records belong to no entry: after them it may end, too.
  expect(borders.size).toBe(6);
});

each<[what: string, tar: Buffer, reason: string]>([
  ["garbage", Buffer.alloc(2048, "garbage!"), "wrong checksum"],
  ["a lone zero block", Buffer.concat([Buffer.alloc(512), block("file", "x")]), "lone zero block"],
  ["a size that is no number", Buffer.concat([pax({ size: "-1" }), block("file", "x")]), "size"],
  ["a time that is none", Buffer.concat([pax({ mtime: "now" }), block("file", "x")]), "mtime"],
  ["a name with a zero", Buffer.concat([pax({ path: "a\0b" }), block("file", "x")]), "zero byte"],
  ["huge pax records", block("pax", "pax", "x".repeat((1 << 20) + 1)), "too large"],
])("TarReader: refuses %s", (_what, tar, reason) => {
  expect(() => readTar(tar)).toThrow(reason);
});

test("encodeTarEntry: what is written reads back, with all that a header does not hold", () => {
  const first = readTar(archive)[3]?.entry;
  if (!first) throw new Error("no entry");
  const odd: TarEntry = {
    ...{ ...first, size: 2 ** 40, fileSize: 2 ** 40, mtime: -5, gid: 2 ** 31, name: "ü\xff" },
    pax: new Map([["mtime", "-4.5"]]),
  };
  const reader = new TarReader({
    entry: (entry) => expect(entry).toEqual(odd),
    data: () => {},
    entryEnd: () => {},
  });
  reader.push(encodeTarEntry(odd));
  expect.assertions(2);
});

each<[format: string]>([["v7"], ["ustar"], ["oldgnu"], ["gnu"], ["posix"]])(
  "TarReader: reads what GNU tar writes as %s",
  async (format) => {
    const folder = await mkdtemp(join(tmpdir(), "tar-reader-"));
    try {
      const deep = `${"d".repeat(60)}/${"e".repeat(60)}`;
      const name = format === "v7" ? "short" : `${deep}/file`;
      await mkdir(join(folder, deep), { recursive: true });
      await writeFile(join(folder, "first"), "content");
      await link(join(folder, "first"), join(folder, name));
      await symlink("first", join(folder, "soft"));
      const isSparse = format !== "v7" && format !== "ustar";
      if (isSparse) {
        await writeFile(join(folder, "sparse"), "begin");
        await truncate(join(folder, "sparse"), 1 << 20);
      }
      const names = ["first", name, "soft", ...(isSparse ? ["sparse"] : [])];
      const tar = execFileSync("tar", [
        `--format=${format}`,
        ...(isSparse ? ["-S"] : []),
        "-cf",
        "-",
        "-C",
        folder,
        ...names,
      ]);
      const all = readTar(tar, 1000);
      expect(all.map(({ entry }) => entry.name)).toEqual(names);
      expect(all[1]?.entry).toMatchObject({ type: "hardLink", linkName: "first" });
      expect(all[2]?.entry).toMatchObject({ type: "symlink", linkName: "first" });
      expect(all[0]?.data).toBe("content");
      if (isSparse) expect(all[3]?.entry.fileSize).toBe(1 << 20);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
