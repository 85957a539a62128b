import { createHash } from "node:crypto";
import { encodeTarEntry, endOfTar, type TarEntry } from "./tar/tar-entry.ts";
import { paddingOf } from "./tar/tar-header.ts";

/** An entry of an archive that a test writes: what it says, and its data. */
export type TestEntry = Partial<Omit<TarEntry, "pax">> & {
  readonly name: string;
  readonly data?: string | undefined;
  readonly pax?: Readonly<Record<string, string>> | undefined;
};

/** Writes an archive. Names are written as they are: also those that no archive should have. */
export function testTar(entries: readonly TestEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const data = Buffer.from(entry.data ?? "");
    return [encodeTarEntry(testEntry(entry)), data, Buffer.alloc(paddingOf(data.length))];
  });
  return Buffer.concat([...parts, endOfTar()]);
}

/** An entry as the reader of an archive gives it. */
export function testEntry({ data = "", pax = {}, ...entry }: TestEntry): TarEntry {
  return {
    type: "file",
    mode: entry.type === "directory" ? 0o755 : 0o644,
    uid: 0,
    gid: 0,
    size: Buffer.byteLength(data),
    fileSize: Buffer.byteLength(data),
    mtime: 1000,
    linkName: "",
    devMajor: 0,
    devMinor: 0,
    ...entry,
    pax: new Map(Object.entries(pax)),
  };
}

export const diffIdOf = (tar: Buffer): string =>
  `sha256:${createHash("sha256").update(tar).digest("hex")}`;
