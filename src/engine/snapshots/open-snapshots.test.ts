import { execFileSync } from "node:child_process";
import {
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { diffIdOf, type TestEntry, testTar } from "./layer-archive.test-support.ts";
import { type OpenedSnapshots, openSnapshots } from "./open-snapshots.ts";
import { mountsBelow, unmountFolder } from "./overlay-mount.ts";

describeWith(requires("containers"))("openSnapshots", () => {
  let root: string;
  let snapshots: OpenedSnapshots;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "snapshots-")));
    snapshots = await openSnapshots({ root });
  });

  afterEach(async () => {
    await snapshots.close();
    for (const path of await mountsBelow(root)) await unmountFolder(path);
    await rm(root, { recursive: true });
  });

  const unpack = async (entries: readonly TestEntry[]): Promise<string> => {
    const tar = testTar(entries);
    await snapshots.unpackLayer(diffIdOf(tar), Readable.from([tar]));
    return diffIdOf(tar);
  };

  const lower: readonly TestEntry[] = [
    { name: "./", type: "directory", mode: 0o711 },
    { name: "etc/", type: "directory" },
    { name: "etc/kept", data: "lower" },
    { name: "etc/replaced", data: "lower" },
    { name: "etc/removed", data: "lower" },
    { name: "opaque/hidden", data: "lower" },
  ];
  const upper: readonly TestEntry[] = [
    { name: "./", type: "directory", mode: 0o711 },
    { name: "etc/replaced", data: "upper" },
    { name: "etc/.wh.removed" },
    { name: "opaque/", type: "directory", mode: 0o700 },
    { name: "opaque/before", data: "upper" },
    { name: "opaque/.wh..wh..opq" },
    { name: "opaque/after", data: "upper" },
  ];

  test("a snapshot shows its layers, the last on top, with whiteouts applied", async () => {
    await snapshots.create("one", [await unpack(lower), await unpack(upper)]);
    const rootfs = await snapshots.mount("one");
    expect(await readdir(join(rootfs, "etc"))).toEqual(["kept", "replaced"]);
    expect(await readFile(join(rootfs, "etc/replaced"), "utf8")).toBe("upper");
    expect(await readdir(join(rootfs, "opaque"))).toEqual(["after", "before"]);
    expect((await stat(join(rootfs, "opaque"))).mode & 0o777).toBe(0o700);
    expect((await stat(rootfs)).mode & 0o777).toBe(0o711);
  });

  test("a snapshot without layers, with one and with the same twice can be mounted", async () => {
    const layer = await unpack(lower);
    const other = await unpack(upper);
    for (const [id, layers] of Object.entries({
      none: [],
      one: [layer],
      twice: [layer, other, layer],
    })) {
      await snapshots.create(id, layers);
      await writeFile(join(await snapshots.mount(id), "written"), id);
      expect(await readFile(join(root, "snapshots", id, "upper/written"), "utf8")).toBe(id);
    }
  });

  test("130 layers can be mounted", async () => {
    const layers: string[] = [];
    for (let n = 0; n < 130; n++) layers.push(await unpack([{ name: `file${n}` }]));
    const id = "f".repeat(64);
    await snapshots.create(id, layers);
    expect(await readdir(await snapshots.mount(id))).toHaveLength(130);
  });

  test("a mounted snapshot stays mounted and is known after opening again", async () => {
    await snapshots.create("one", [await unpack(lower)]);
    const rootfs = await snapshots.mount("one");
    await writeFile(join(rootfs, "written"), "");
    snapshots = await openSnapshots({ root });
    expect(await snapshots.mount("one")).toBe(rootfs);
    expect(await mountsBelow(root)).toEqual([rootfs]);
    await snapshots.unmount("one");
    await snapshots.unmount("one");
    expect(await mountsBelow(root)).toEqual([]);
    await snapshots.mount("one");
    expect(await readdir(rootfs)).toContain("written");
  });

  test("what was mounted or unmounted behind its back is noticed", async () => {
    await snapshots.create("one", [await unpack(lower)]);
    const rootfs = await snapshots.mount("one");
    await unmountFolder(rootfs);
    await snapshots.mount("one");
    expect(await readdir(rootfs)).toEqual(["etc", "opaque"]);
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", rootfs]);
    await snapshots.unmount("one");
    expect(await mountsBelow(root)).toEqual([]);
  });

  test("removing a snapshot unmounts and deletes it, also when it is busy", async () => {
    await snapshots.create("one", [await unpack(lower)]);
    const busy = await open(join(await snapshots.mount("one"), "etc/kept"));
    await snapshots.remove("one");
    await busy.close();
    await snapshots.remove("one");
    expect(await snapshots.list()).toEqual([]);
    expect(await mountsBelow(root)).toEqual([]);
    expect(await readdir(join(root, "snapshots"))).toEqual([]);
    expect(await readdir(join(root, "trash"))).toEqual([]);
  });

  test("a layer is removed unless a snapshot uses it", async () => {
    const layer = await unpack(lower);
    await snapshots.create("one", [layer]);
    await expect(snapshots.removeLayer(layer)).rejects.toThrow("is used by snapshot one");
    await snapshots.remove("one");
    await snapshots.removeLayer(layer);
    expect(await snapshots.hasLayer(layer)).toBe(false);
    expect(await readdir(join(root, "layers/sha256"))).toEqual([]);
    expect(await readdir(join(root, "l"))).toEqual([]);
  });

  test("layers are known after opening again, and keep their usage", async () => {
    const layer = await unpack(lower);
    const usage = await snapshots.layerUsage(layer);
    expect(usage.inodes).toBe(7);
    expect(usage.bytes).toBeGreaterThanOrEqual(4 * 4096);
    snapshots = await openSnapshots({ root });
    expect(await snapshots.listLayers()).toEqual([layer]);
    expect(await snapshots.layerUsage(layer)).toEqual(usage);
    await snapshots.create("one", [layer]);
    expect(await readdir(await snapshots.mount("one"))).toEqual(["etc", "opaque"]);
  });

  test("two at once unpack the same layer once", async () => {
    await Promise.all([unpack(lower), unpack(lower), unpack(upper)]);
    expect(await snapshots.listLayers()).toHaveLength(2);
    expect(await readdir(join(root, "l"))).toHaveLength(2);
  });

  test("a layer with another diff ID is refused, and nothing of it stays", async () => {
    const wrong = `sha256:${"0".repeat(64)}`;
    await expect(
      snapshots.unpackLayer(wrong, Readable.from([testTar(lower)])),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining("wrong diff id") } });
    await expect(snapshots.unpackLayer("sha256:../x", Readable.from([]))).rejects.toThrow(
      "invalid diff ID",
    );
    expect(await snapshots.hasLayer(wrong)).toBe(false);
    expect(await readdir(join(root, "drafts"))).toEqual([]);
    expect(await readdir(join(root, "layers/sha256"))).toEqual([]);
  });

  test("unpacking can be aborted while its source stalls", async () => {
    const abort = new AbortController();
    const tar = testTar(lower);
    const stalls = new Readable({ read: () => {} });
    stalls.push(tar.subarray(0, 1000));
    const unpacking = snapshots.unpackLayer(diffIdOf(tar), stalls, abort.signal);
    abort.abort(new Error("enough"));
    await expect(unpacking).rejects.toThrow("enough");
    expect(stalls.destroyed).toBe(true);
    expect(await readdir(join(root, "drafts"))).toEqual([]);
  });

  test("opening removes drafts, and layers that an earlier boot did not sync", async () => {
    const kept = await unpack(lower);
    await snapshots.close();
    const lost = await unpack(upper);
    await snapshots.close();
    await writeFile(join(root, "layers/sha256", lost.slice(7), "boot"), "another boot");
    await mkdir(join(root, "drafts/half/fs/etc"), { recursive: true });
    snapshots = await openSnapshots({ root });
    expect(await snapshots.listLayers()).toEqual([kept]);
    expect(await readdir(join(root, "drafts"))).toEqual([]);
    expect(await readdir(join(root, "trash"))).toEqual([]);
    expect(await readdir(join(root, "l"))).toHaveLength(1);
  });

  /** Changes a mounted snapshot in every way there is. */
  const changed = async (): Promise<string> => {
    await snapshots.create("one", [
      await unpack([
        { name: "kept", data: "lower" },
        { name: "gone", data: "lower" },
        { name: "gonedir/x", data: "lower" },
        { name: "remade/old", data: "lower" },
        { name: "remade/both", data: "lower" },
        { name: "deep/er/file", data: "lower" },
        { name: "touched", data: "lower" },
        { name: "becomesdir", data: "lower" },
      ]),
      await unpack([{ name: "kept", data: "upper" }]),
    ]);
    const rootfs = await snapshots.mount("one");
    await rm(join(rootfs, "gone"));
    await rm(join(rootfs, "gonedir"), { recursive: true });
    await rm(join(rootfs, "remade"), { recursive: true });
    await rm(join(rootfs, "becomesdir"));
    await mkdir(join(rootfs, "becomesdir"));
    await writeFile(join(rootfs, "becomesdir/in"), "");
    await mkdir(join(rootfs, "remade"));
    await writeFile(join(rootfs, "remade/both"), "new");
    await writeFile(join(rootfs, "deep/er/file"), "changed");
    await writeFile(join(rootfs, "new"), "new");
    await link(join(rootfs, "new"), join(rootfs, "newlink"));
    await (await open(join(rootfs, "touched"), "a")).close();
    return rootfs;
  };

  test("changes: as docker diff has them", async () => {
    await changed();
    const kinds = { added: "A", changed: "C", deleted: "D" };
    const changes = (await snapshots.changes("one")).map(
      ({ kind, path }) => `${kinds[kind]} ${path}`,
    );
    expect(changes).toEqual([
      "C /becomesdir",
      "A /becomesdir/in",
      "C /deep",
      "C /deep/er",
      "C /deep/er/file",
      "D /gone",
      "D /gonedir",
      "A /new",
      "A /newlink",
      "C /remade",
      "C /remade/both",
      "D /remade/old",
    ]);
    await snapshots.unmount("one");
    expect(await snapshots.changes("one")).toHaveLength(changes.length);
    expect(await mountsBelow(root)).toEqual([]);
  });

  test("changes: of a snapshot on one layer, which has whiteouts itself, and on none", async () => {
    await snapshots.create("one", [await unpack([{ name: "a" }, { name: ".wh.b" }])]);
    await snapshots.create("none", []);
    for (const id of ["one", "none"]) {
      await writeFile(join(await snapshots.mount(id), "new"), "");
      expect(await snapshots.changes(id)).toEqual([{ path: "/new", kind: "added" }]);
    }
  });

  test("a folder on an overlay is refused", async () => {
    await snapshots.create("one", []);
    const inner = join(await snapshots.mount("one"), "inner");
    await expect(openSnapshots({ root: inner })).rejects.toThrow("lies on an overlay");
  });

  test("diff: a layer that makes the same file system of the same layers", async () => {
    const rootfs = await changed();
    const tar = Buffer.concat(await (await snapshots.diff("one")).toArray());
    await snapshots.unpackLayer(diffIdOf(tar), Readable.from([tar]));
    const layers = JSON.parse(await readFile(join(root, "snapshots/one/layers.json"), "utf8"));
    await snapshots.create("two", [...layers, diffIdOf(tar)]);
    const copy = await snapshots.mount("two");
    const listed = async (folder: string): Promise<string[]> =>
      (await readdir(folder, { recursive: true })).sort();
    expect(await listed(copy)).toEqual(await listed(rootfs));
    expect(await listed(copy)).toContain("becomesdir/in");
    expect(await readFile(join(copy, "remade/both"), "utf8")).toBe("new");
    expect((await stat(join(copy, "newlink"))).nlink).toBe(2);
    expect(await snapshots.changes("two")).toEqual([]);
  });

  test("usage: counts what was written, linked files once", async () => {
    await snapshots.create("one", [await unpack(lower)]);
    const rootfs = await snapshots.mount("one");
    const empty = await snapshots.usage("one");
    expect(empty.inodes).toBe(1);
    await writeFile(join(rootfs, "large"), Buffer.alloc(1 << 20, "x"));
    await link(join(rootfs, "large"), join(rootfs, "again"));
    await truncate(join(rootfs, "etc/kept"), 1 << 30);
    await writeFile(Buffer.concat([Buffer.from(`${rootfs}/`), Buffer.from([0xff, 0xfe])]), "");
    const { bytes, inodes } = await snapshots.usage("one");
    expect(inodes).toBe(empty.inodes + 4);
    expect(bytes - empty.bytes).toBeGreaterThanOrEqual(1 << 20);
    expect(bytes - empty.bytes).toBeLessThan(2 << 20);
  });
});
