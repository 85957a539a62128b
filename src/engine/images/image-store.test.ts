import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashedLayers } from "./hashed-layers.test-support.ts";
import { testFolder, testImages } from "./images.test-support.ts";
import { openImages } from "./images.ts";
import { buildImage, dockerArchive, tarOf } from "./oci-image.test-support.ts";
import { parseReference } from "./reference.ts";

const layer = tarOf([{ name: "a", content: "a" }]);
const one = buildImage([layer], { Cmd: ["1"] });
const two = buildImage([layer], { Cmd: ["2"] });

test("image store: images are found by name, ID and the beginning of the ID", async () => {
  const images = await testImages();
  await images.load(dockerArchive(one, "app:latest", "quay.io/a/b:1"));
  const hex = one.id.slice(7);
  for (const name of [
    "app",
    "app:latest",
    "docker.io/library/app",
    "quay.io/a/b:1",
    one.id,
    hex,
    hex.slice(0, 7),
  ])
    expect(images.store.resolve(name)?.id, name).toBe(one.id);
  for (const name of ["app:2", "quay.io/a/b", "", "Invalid", "sha256:", "f".repeat(64)])
    expect(images.store.resolve(name), name).toBeUndefined();
});

test("image store: an ambiguous beginning finds nothing", async () => {
  const images = await testImages();
  await images.load(dockerArchive(one));
  await images.load(dockerArchive(two));
  const prefix = [...one.id].findIndex((letter, at) => letter !== two.id[at]);
  if (prefix > 7) expect(images.store.resolve(one.id.slice(0, prefix))).toBeUndefined();
  expect(images.store.resolve(one.id.slice(0, prefix + 1))?.id).toBe(one.id);
});

test("image store: names, removals and dangling images are there after a restart", async () => {
  const root = testFolder();
  const snapshots = hashedLayers();
  const first = await openImages({ root, snapshots });
  await first.load(dockerArchive(one, "app:1"));
  await first.load(dockerArchive(two, "app:1"));
  await first.store.tag(two.id, parseReference("app:2"));
  expect(await first.remove("app:1")).toEqual([{ Untagged: "app:1" }]);
  const before = first.store.list();
  await first.close();
  const second = await testImages({ root, snapshots });
  expect(second.store.list()).toEqual(before);
  expect(second.store.resolve("app:2")?.tags).toEqual(["docker.io/library/app:2"]);
  expect(second.store.resolve(one.id)?.tags).toEqual([]);
});

test("image store: layers that a power failure took are unpacked again", async () => {
  const root = testFolder();
  const snapshots = hashedLayers();
  const first = await openImages({ root, snapshots });
  await first.load(dockerArchive(one, "app:1"));
  await first.close();
  await snapshots.removeLayer(one.diffIds[0] ?? "");
  const second = await testImages({ root, snapshots });
  expect(await snapshots.listLayers()).toEqual(one.diffIds);
  expect((await second.verify()).problems).toEqual([]);
});

test("image store: an image that cannot be read is kept apart until it comes again", async () => {
  const root = testFolder();
  const first = await openImages({ root, snapshots: hashedLayers() });
  await first.load(dockerArchive(one, "app:1"));
  await first.close();
  rmSync(join(root, "blobs", "sha256", one.id.slice(7)));
  const second = await testImages({ root });
  expect(second.store.list()).toEqual([]);
  expect(second.store.damaged()).toMatchObject([
    { names: ["docker.io/library/app:1"], reason: expect.stringContaining("not found") },
  ]);
  await second.load(dockerArchive(two, "app:2"));
  expect(second.store.damaged()).toHaveLength(1);
  await second.load(dockerArchive(one, "app:1"));
  expect(second.store.damaged()).toEqual([]);
  expect(second.store.resolve("app:1")?.id).toBe(one.id);
});

test("image store: only one process can have it open", async () => {
  const root = testFolder();
  await testImages({ root });
  await expect(openImages({ root, snapshots: hashedLayers() })).rejects.toThrow(
    `the image store is in use by process ${process.pid}`,
  );
});

test.each(["app", "app:1", "x/y@sha256:00", "f00"])(
  "image store: %s is not found",
  async (name) => {
    const images = await testImages();
    const shown = name === "app" || name === "f00" ? `${name}:latest` : name;
    await expect(images.remove(name)).rejects.toThrow(`No such image: ${shown}`);
  },
);
