import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { encodeTarHeader, parseTarHeader, type TarHeader, withChecksum } from "./tar-header.ts";

const plain: TarHeader = {
  name: "etc/hosts",
  type: "file",
  mode: 0o4755,
  uid: 1000,
  gid: 1001,
  size: 1234,
  mtime: 1_700_000_000,
  linkName: "",
  devMajor: 0,
  devMinor: 0,
};

/** A header with some bytes replaced. */
function changed(changes: Readonly<Record<number, string>>, header = plain): Buffer {
  const block = encodeTarHeader(header);
  for (const [at, text] of Object.entries(changes)) block.write(text, Number(at), "latin1");
  return withChecksum(block);
}

each<[what: string, header: TarHeader]>([
  ["a file", plain],
  ["a name of 100 bytes", { ...plain, name: "x".repeat(100) }],
  ["bytes that are not UTF-8", { ...plain, name: "\xff\xfe" }],
  ["a link", { ...plain, type: "symlink", size: 0, linkName: "/etc" }],
  ["a device", { ...plain, type: "charDevice", size: 0, devMajor: 5, devMinor: 1 }],
  ["the largest size", { ...plain, size: 0o77777777777 }],
])("parseTarHeader: reads what encodeTarHeader wrote: %s", (_what, header) => {
  expect(parseTarHeader(encodeTarHeader(header))).toEqual(header);
});

each<[what: string, block: Buffer, part: Partial<TarHeader>]>([
  ["POSIX's prefix", changed({ 345: "usr/share" }), { name: "usr/share/etc/hosts" }],
  [
    "GNU's header, which has no prefix",
    changed({ 257: "ustar  \0", 345: "1234" }),
    { name: "etc/hosts" },
  ],
  ["a header before POSIX", changed({ 257: "\0\0\0\0\0\0\0\0", 156: "\0" }), { type: "file" }],
  [
    "a directory before POSIX",
    changed({ 0: "dir/\0", 156: "\0" }),
    { type: "directory", name: "dir/", size: 0 },
  ],
  ["a file whose name ends with a slash", changed({ 0: "dir/\0" }), { type: "file", size: 1234 }],
  ["a contiguous file", changed({ 156: "7" }), { type: "file" }],
  ["numbers with spaces", changed({ 100: "   644 \0" }), { mode: 0o644 }],
  ["no number", changed({ 108: "\0\0\0\0\0\0\0\0" }), { uid: 0 }],
  ["a binary number", changed({ 108: "\x80\0\0\0\xee\x6b\x28\0" }), { uid: 4_000_000_000 }],
  ["a negative binary number", changed({ 136: `${"\xff".repeat(11)}\xfe` }), { mtime: -2 }],
  [
    "a link with a size has no data",
    changed({ 156: "1", 157: "x" }),
    { type: "hardLink", size: 0 },
  ],
])("parseTarHeader: %s", (_what, block, part) => {
  expect(parseTarHeader(block)).toMatchObject(part);
});

test("parseTarHeader: the checksum may be that of signed bytes", () => {
  const block = encodeTarHeader({ ...plain, name: "\xff\xff" });
  const unsigned = Number.parseInt(block.toString("latin1", 148, 154), 8);
  block.write((unsigned - 512).toString(8).padStart(6, "0"), 148);
  expect(parseTarHeader(block).name).toBe("\xff\xff");
  block.write((unsigned - 511).toString(8).padStart(6, "0"), 148);
  expect(() => parseTarHeader(block)).toThrow("wrong checksum");
});

each<[what: string, block: Buffer, reason: string]>([
  ["text", Buffer.alloc(512, "no archive "), "wrong checksum"],
  ["a type of another program", changed({ 156: "V" }), "unhandled tar header type 86"],
  ["a mode that is no number", changed({ 100: "rwx" }), "not a number"],
  ["a negative size", changed({ 124: "\xff".repeat(12) }), "negative size"],
  ["a size beyond all disks", changed({ 124: `\x80${"\xff".repeat(11)}` }), "number out of range"],
])("parseTarHeader: refuses %s", (_what, block, reason) => {
  expect(() => parseTarHeader(block)).toThrow(reason);
});

test("encodeTarHeader: refuses what does not fit", () => {
  expect(() => encodeTarHeader({ ...plain, name: "x".repeat(101) })).toThrow("too long");
  expect(() => encodeTarHeader({ ...plain, uid: 0o10000000 })).toThrow("too large");
  expect(() => encodeTarHeader({ ...plain, mtime: -1 })).toThrow("too large");
});
