import { execFileSync } from "node:child_process";
import { mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { diffIdOf, type TestEntry, testEntry, testTar } from "./layer-archive.test-support.ts";
import { type OpenedSnapshots, openSnapshots } from "./open-snapshots.ts";
import type { TarEntry } from "./tar/tar-entry.ts";
import { TarReader } from "./tar/tar-reader.ts";

describeWith(requires("containers"))("unpacked layers", () => {
  let root: string;
  let snapshots: OpenedSnapshots;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "layer-fidelity-"));
    snapshots = await openSnapshots({ root });
  });

  afterEach(async () => {
    await snapshots.close();
    await rm(root, { recursive: true });
  });

  const unpack = async (tar: Buffer): Promise<string> => {
    await snapshots.unpackLayer(diffIdOf(tar), Readable.from([tar]));
    return join(root, "layers/sha256", diffIdOf(tar).slice(7), "fs");
  };

  test("all that an entry says is kept", async () => {
    const capability = "\x01\0\0\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const entries: readonly TestEntry[] = [
      { name: "./", type: "directory", mode: 0o751, uid: 3, gid: 4 },
      { name: "./block", type: "blockDevice", devMajor: 8, devMinor: 17, mode: 0o660, gid: 6 },
      { name: "./char", type: "charDevice", devMajor: 1, devMinor: 3, mode: 0o666 },
      { name: "./dir/", type: "directory", mode: 0o1777, uid: 70_000, mtime: 2000 },
      { name: "./dir/capable", data: "x", pax: { "SCHILY.xattr.security.capability": capability } },
      { name: "./dir/setuid", data: "x", mode: 0o6755, uid: 1, gid: 2 },
      { name: "./fifo", type: "fifo", mode: 0o600 },
      { name: "./file", data: "content", pax: { "SCHILY.xattr.user.binary": "\0\xff=\n" } },
      { name: "./hard", type: "hardLink", linkName: "./file" },
      { name: `./${"n".repeat(255)}`, data: "long" },
      { name: "./old", mtime: -86_400 },
      { name: "./readonly/", type: "directory", mode: 0o555 },
      { name: "./readonly/file", mode: 0o400 },
      { name: "./soft", type: "symlink", linkName: "/../../outside", mode: 0o777 },
      { name: "./time", mtime: 1000, pax: { mtime: "1000.123456789" } },
      { name: "./uid", uid: 4_000_000_000, gid: 4_000_000_001 },
      { name: "./\xfc\xff", data: "not UTF-8" },
    ];
    const found = listTree(await unpack(testTar(entries)));
    const wanted = entries.map(testEntry).map((entry) => ({ ...entry, pax: wantedRecords(entry) }));
    expect(found.map(essential)).toEqual(wanted.map(essential).sort(byName));
  });

  test("sparse files stay sparse, in all forms", async () => {
    const source = join(root, "sparse");
    await writeFile(source, "begin");
    await truncate(source, 64 << 20);
    for (const format of ["oldgnu", "gnu", "posix"]) {
      const args = [`--format=${format}`, "-S", "-cf", "-", "-C", root, "sparse"];
      const folder = await unpack(execFileSync("tar", args));
      const { size, blocks } = await stat(join(folder, "sparse"));
      expect(size).toBe(64 << 20);
      expect(blocks * 512).toBeLessThan(1 << 20);
    }
    const versions = ["0.0", "0.1", "1.0"];
    for (const version of versions) {
      const args = ["--format=posix", `--sparse-version=${version}`, "-S", "-cf", "-", "-C", root];
      const folder = await unpack(execFileSync("tar", [...args, "sparse"]));
      expect((await stat(join(folder, "sparse"))).size).toBe(64 << 20);
      expect(listTree(folder).map(({ name }) => name)).toEqual(["./", "./sparse"]);
    }
  });
});

/** What GNU tar finds in a folder. */
function listTree(folder: string): TarEntry[] {
  const args = [
    "--xattrs",
    "--xattrs-include=*",
    "--numeric-owner",
    "--format=posix",
    "--sort=name",
  ];
  const tar = execFileSync("tar", [...args, "-cf", "-", "-C", folder, "."], {
    env: { LC_ALL: "C", PATH: process.env.PATH },
    maxBuffer: 1 << 30,
  });
  const entries: TarEntry[] = [];
  const reader = new TarReader({
    entry: (entry) => entries.push(entry),
    data: () => {},
    entryEnd: () => {},
  });
  reader.push(tar);
  return entries.sort(byName);
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

/** A link to a file has the owner, mode and time of that file. */
const essential = ({
  name,
  type,
  linkName,
  ...entry
}: TarEntry): Partial<TarEntry> & { name: string } =>
  type === "hardLink" ? { name, type, linkName } : { name, type, linkName, ...entry };

/** Tar writes a time only where it does not fit into a header. */
function wantedRecords({ pax, mtime }: TarEntry): TarEntry["pax"] {
  return mtime < 0 ? new Map([...pax, ["mtime", String(mtime)]]) : pax;
}
