import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { useSnapshotsAndDie } from "./killed-snapshots.test-support.ts";
import { openSnapshots } from "./open-snapshots.ts";
import { mountsBelow, unmountFolder } from "./overlay-mount.ts";

describeWith(requires("containers"))("snapshots of a process that was killed", () => {
  let root: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "killed-snapshots-")));
  });

  afterEach(async () => {
    for (const path of await mountsBelow(root)) await unmountFolder(path);
    await rm(root, { recursive: true });
  });

  test("are complete or gone when they are opened again", async () => {
    for (let kill = 0; kill < 8; kill++) {
      expect(await useSnapshotsAndDie(root, 10 + kill * 45)).toBe("SIGKILL");
      const snapshots = await openSnapshots({ root });
      expect(await readdir(join(root, "drafts"))).toEqual([]);
      expect(await readdir(join(root, "trash"))).toEqual([]);
      const layers = await snapshots.listLayers();
      expect(await readdir(join(root, "l"))).toHaveLength(layers.length);
      for (const layer of layers) {
        const files = await readdir(join(root, "layers/sha256", layer.slice(7), "fs"));
        expect(files.some((name) => name.startsWith("complete"))).toBe(true);
      }
      for (const id of await snapshots.list()) {
        const rootfs = await snapshots.mount(id);
        expect(await readFile(join(rootfs, "complete2"), "utf8")).toBe("complete");
      }
      await snapshots.close();
    }
    const last = await openSnapshots({ root });
    for (const id of await last.list()) await last.remove(id);
    for (const layer of await last.listLayers()) await last.removeLayer(layer);
    await last.close();
    expect(await mountsBelow(root)).toEqual([]);
    for (const folder of ["drafts", "l", "layers/sha256", "snapshots", "trash"])
      expect(await readdir(join(root, folder))).toEqual([]);
  });
});
