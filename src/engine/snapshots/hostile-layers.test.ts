import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { diffIdOf, type TestEntry, testTar } from "./layer-archive.test-support.ts";
import { type OpenedSnapshots, openSnapshots } from "./open-snapshots.ts";

const limits = { bytes: 1 << 20, entries: 100 };

/** Replaced by the path of a folder with one file, `secret`. */
const outside = "OUTSIDE";

describeWith(requires("containers"))("hostile layers", () => {
  let folder: string;
  let root: string;
  let snapshots: OpenedSnapshots;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hostile-"));
    root = join(folder, "root");
    await mkdir(join(folder, "outside"), { mode: 0o700 });
    await writeFile(join(folder, "outside/secret"), "secret");
    snapshots = await openSnapshots({ root, layerLimits: limits });
  });

  afterEach(async () => {
    await snapshots.close();
    await rm(folder, { recursive: true });
  });

  const unpack = async (tar: Buffer): Promise<string> => {
    await snapshots.unpackLayer(diffIdOf(tar), Readable.from([tar]));
    return join(root, "layers/sha256", diffIdOf(tar).slice(7), "fs");
  };

  const nothingOutside = async (): Promise<void> => {
    expect((await readdir(folder)).sort()).toEqual(["outside", "root"]);
    expect(await readdir(join(folder, "outside"))).toEqual(["secret"]);
    expect(await readFile(join(folder, "outside/secret"), "utf8")).toBe("secret");
    expect((await stat(join(folder, "outside"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(root, "drafts"))).toEqual([]);
    expect((await readdir(root)).sort()).toEqual(
      ["drafts", "empty", "l", "layers", "mapped", "snapshots", "trash"].sort(),
    );
  };

  const here = (entry: TestEntry): TestEntry => ({
    ...entry,
    name: entry.name.replace(outside, join(folder, "outside")),
    linkName: (entry.linkName ?? "").replace(outside, join(folder, "outside")),
  });

  const up = "../../../../../outside";

  each<[what: string, entries: readonly TestEntry[], reason: string]>([
    ["a name with ..", [{ name: `${up}/new` }], "is outside of the root"],
    ["a hidden ..", [{ name: `a/b/../../${up}/new` }], "is outside of the root"],
    ["a whiteout with ..", [{ name: `${up}/.wh.secret` }], "is outside of the root"],
    ["a whiteout of the parent", [{ name: ".wh..." }], "invalid whiteout name"],
    [
      "a hard link with ..",
      [{ name: "a", type: "hardLink", linkName: `${up}/secret` }],
      "invalid hardlink",
    ],
    [
      "a hard link to the host",
      [{ name: "a", type: "hardLink", linkName: `${outside}/secret` }],
      "No such file",
    ],
    [
      "a hard link through a link",
      [
        { name: "s", type: "symlink", linkName: outside },
        { name: "a", type: "hardLink", linkName: "s/secret" },
      ],
      "No such file",
    ],
    [
      "a root that is a link",
      [{ name: "./", type: "symlink", linkName: outside }],
      "must be a directory",
    ],
    [
      "too many entries",
      Array.from({ length: 101 }, (_, n) => ({ name: `f${n}` })),
      "more than 100 entries",
    ],
    ["too many bytes", [{ name: "a", data: "x".repeat(2 << 20) }], "larger than 1048576 bytes"],
    [
      "a huge sparse file",
      [
        {
          name: "a",
          pax: {
            "GNU.sparse.size": String(2 ** 50),
            "GNU.sparse.numblocks": "0",
            "GNU.sparse.map": "0,0",
          },
        },
      ],
      "larger than 1048576 bytes",
    ],
    ["a part that is too long", [{ name: "n".repeat(256) }], "File name too long"],
    [
      "links in a circle",
      [{ name: "a", type: "symlink", linkName: "a" }, { name: "a/b" }],
      "too many levels",
    ],
  ])("%s is refused, and nothing of the layer stays", async (_what, entries, reason) => {
    const tar = testTar(entries.map(here));
    await expect(unpack(tar)).rejects.toMatchObject({
      cause: { message: expect.stringContaining(reason) },
    });
    expect(await snapshots.listLayers()).toEqual([]);
    expect(await readdir(join(root, "layers/sha256"))).toEqual([]);
    await nothingOutside();
  });

  each<[what: string, entries: readonly TestEntry[], files: readonly string[]]>([
    ["an absolute name", [{ name: `${outside}/new` }], [`${outside}/new`]],
    [
      "a file through an absolute link",
      [{ name: "s", type: "symlink", linkName: outside }, { name: "s/new" }],
      [`${outside}/new`, "s"],
    ],
    [
      "a file through a link with ..",
      [{ name: "s", type: "symlink", linkName: up }, { name: "s/new" }],
      ["outside/new", "s"],
    ],
    [
      "a file through a chain of links",
      [
        { name: "a", type: "symlink", linkName: "b" },
        { name: "b", type: "symlink", linkName: outside },
        { name: "a/secret", data: "changed" },
      ],
      [`${outside}/secret`, "a", "b"],
    ],
    [
      "a file through a hard link to a link",
      [
        { name: "s", type: "symlink", linkName: outside },
        { name: "h", type: "hardLink", linkName: "s" },
        { name: "h/new" },
      ],
      [`${outside}/new`, "h", "s"],
    ],
    [
      "a file in the place of a link",
      [
        { name: "s", type: "symlink", linkName: `${outside}/secret` },
        { name: "s", data: "changed" },
      ],
      ["s"],
    ],
    [
      "a folder in the place of a link",
      [
        { name: "s", type: "symlink", linkName: outside },
        { name: "s", type: "directory", mode: 0o777 },
        { name: "s/new" },
      ],
      ["s/new"],
    ],
    [
      "a link in the place of a folder that is used on",
      [
        { name: "s", type: "directory" },
        { name: "s", type: "symlink", linkName: outside },
        { name: "s/new" },
      ],
      [`${outside}/new`, "s"],
    ],
    [
      "a whiteout through a link",
      [{ name: "s", type: "symlink", linkName: outside }, { name: "s/.wh.secret" }],
      [`${outside}/secret`, "s"],
    ],
    [
      "an opaque link",
      [
        { name: "s", type: "symlink", linkName: outside },
        { name: "s/.wh..wh..opq" },
        { name: "s/x" },
      ],
      [`${outside}/x`, "s"],
    ],
    [
      "names that read as options",
      [{ name: "--to-command=touch /tmp/x" }, { name: "-P" }, { name: "@file" }],
      ["--to-command=touch /tmp/x", "-P", "@file"],
    ],
  ])("%s stays inside", async (_what, entries, files) => {
    const unpacked = await unpack(testTar(entries.map(here)));
    const found = await readdir(unpacked, { recursive: true, withFileTypes: true });
    const names = found
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1));
    const wanted = files.map((file) => file.replace(outside, join(folder, "outside").slice(1)));
    expect(names.sort()).toEqual(wanted.sort());
    await nothingOutside();
  });

  test("later entries replace earlier ones, whatever they were", async () => {
    const kinds: readonly Partial<TestEntry>[] = [
      { type: "file", data: "last" },
      { type: "symlink", linkName: join(folder, "outside") },
      { type: "symlink", linkName: "secret" },
      { type: "directory" },
      { type: "fifo" },
    ];
    const pairs = kinds.flatMap((a) => kinds.map((b) => [a, b] as const));
    const entries = pairs.flatMap(([a, b], n) => [
      { name: `e${n}`, ...a },
      { name: `e${n}`, ...b },
    ]);
    const unpacked = await unpack(testTar(entries));
    for (const [n, [, last]] of pairs.entries()) {
      const stats = await lstat(join(unpacked, `e${n}`));
      const is = {
        file: stats.isFile() && stats.size === 4,
        symlink: stats.isSymbolicLink(),
        directory: stats.isDirectory(),
        fifo: stats.isFIFO(),
      };
      expect(is).toMatchObject({ [last.type ?? ""]: true });
    }
    await nothingOutside();
  });

  test("a layer that ends early is refused, wherever it ends", async () => {
    const tar = testTar([
      { name: "a", data: "x".repeat(600) },
      { name: "n".repeat(200), data: "y" },
    ]);
    for (const end of [100, 512, 700, 1200, 1535, 1700, 2100, 2600, 3100]) {
      const cut = tar.subarray(0, end);
      const isRefused = expect(unpack(cut)).rejects;
      await isRefused.toMatchObject({
        cause: { message: expect.stringContaining("unexpected EOF") },
      });
    }
    await expect(
      snapshots.unpackLayer(diffIdOf(tar), Readable.from([tar.subarray(0, -1024)])),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining("wrong diff id") } });
    await nothingOutside();
  });

  test("devices and setuid programs are kept where no other user of the host can reach them", async () => {
    const unpacked = await unpack(
      testTar([
        { name: "disk", type: "blockDevice", devMajor: 8, devMinor: 0, mode: 0o666 },
        { name: "program", mode: 0o4777 },
      ]),
    );
    expect((await lstat(join(unpacked, "disk"))).isBlockDevice()).toBe(true);
    expect((await stat(root)).mode & 0o077).toBe(0);
  });

  test("what is no archive is refused", async () => {
    for (const text of ["garbage!".repeat(200), "\x1f\x8b".repeat(600)])
      await expect(unpack(Buffer.from(text, "latin1"))).rejects.toMatchObject({
        cause: { message: expect.stringContaining("invalid tar header") },
      });
    await nothingOutside();
  });

  test("a stream without end is cut off at the limit", async () => {
    let sent = 0;
    const zeros = new Readable({
      read() {
        sent += 1 << 16;
        this.push(Buffer.alloc(1 << 16));
      },
    });
    await expect(snapshots.unpackLayer(`sha256:${"0".repeat(64)}`, zeros)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("larger than 1048576 bytes") },
    });
    expect(sent).toBeLessThan(4 << 20);
    expect(zeros.destroyed).toBe(true);
  });

  test("a source that fails is the reason", async () => {
    const failing = new Readable({ read: () => {} });
    const unpacking = snapshots.unpackLayer(`sha256:${"0".repeat(64)}`, failing);
    failing.push(testTar([{ name: "a", data: "x" }]).subarray(0, 600));
    failing.destroy(new Error("the registry hung up"));
    await expect(unpacking).rejects.toMatchObject({ cause: { message: "the registry hung up" } });
    await nothingOutside();
  });
});
