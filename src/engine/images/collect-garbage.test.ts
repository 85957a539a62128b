import { appendFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestOf } from "./digest.ts";
import { hashedLayers } from "./hashed-layers.test-support.ts";
import { testFolder, testImages } from "./images.test-support.ts";
import type { ImagesOptions } from "./images-options.ts";
import { buildImage, ociArchive, tarOf } from "./oci-image.test-support.ts";
import { parseReference } from "./reference.ts";

const shared = tarOf([{ name: "a", content: "a" }]);
const own = tarOf([{ name: "b", content: "b" }]);
const one = buildImage([shared, own], { Cmd: ["1"] });
const two = buildImage([shared], { Cmd: ["2"] });

async function loaded(options: Partial<ImagesOptions> = {}) {
  const root = testFolder();
  const snapshots = hashedLayers();
  const images = await testImages({ root, snapshots, ...options });
  await images.load(ociArchive(one, "docker.io/library/one:1"));
  await images.load(ociArchive(two, "docker.io/library/two:1"));
  const blobs = (): string[] =>
    readdirSync(join(root, "blobs/sha256"))
      .map((name) => `sha256:${name}`)
      .sort();
  return { root, snapshots, images, blobs };
}

describe("garbage", () => {
  test("with the last name of an image go its blobs and layers, but not those of others", async () => {
    const { images, snapshots, blobs } = await loaded();
    await images.remove("one:1");
    expect(blobs().filter((digest) => one.blobs.has(digest) && !two.blobs.has(digest))).toEqual([]);
    expect(await snapshots.listLayers()).toEqual(two.diffIds);
    expect((await images.verify()).problems).toEqual([]);
    await images.remove(two.id);
    expect(await snapshots.listLayers()).toEqual([]);
  });

  test("removeAll removes an image with all its names and its content", async () => {
    const { images, snapshots, blobs } = await loaded();
    await images.store.tag(one.id, parseReference("other:1"));
    await images.store.removeAll(one.id);
    expect(images.store.list().map(({ id }) => id)).toEqual([two.id]);
    expect(blobs()).toEqual([...two.blobs.keys()].sort());
    expect(await snapshots.listLayers()).toEqual(two.diffIds);
    await images.store.removeAll(one.id);
  });

  test("prune removes what has no tag and is not used", async () => {
    const users = [{ imageId: two.id, containerId: "c", isRunning: false }];
    const { images } = await loaded({ users: () => users });
    expect((await images.prune()).results).toEqual([]);
    const three = buildImage([own], { Cmd: ["3"] });
    await images.load(ociArchive(three, "docker.io/library/one:1"));
    const pruned = await images.prune();
    expect(pruned.results[0]).toEqual({ Deleted: one.id });
    expect(pruned.bytes).toBeGreaterThan(0);
    expect(
      (await images.prune({ all: true, includes: ({ id }) => id !== three.id })).results,
    ).toEqual([]);
    expect((await images.prune({ all: true })).results[0]).toEqual({ Untagged: "one:1" });
    expect(images.store.list().map(({ id }) => id)).toEqual([two.id]);
  });

  test("prune forgets images that cannot be read", async () => {
    const { images, root, snapshots, blobs } = await loaded();
    await images.close();
    rmSync(join(root, "blobs/sha256", one.id.slice(7)));
    const again = await testImages({ root, snapshots });
    expect(again.store.damaged()).toHaveLength(1);
    await again.prune();
    expect(again.store.damaged()).toEqual([]);
    expect(blobs()).toEqual([...two.blobs.keys()].sort());
    expect((await again.verify()).problems).toEqual([]);
  });

  test("a load that fails leaves nothing", async () => {
    const { images, snapshots, blobs } = await loaded();
    const before = { blobs: blobs(), layers: await snapshots.listLayers() };
    const other = buildImage([tarOf([{ name: "c" }])]);
    const broken = { ...other, blobs: new Map(other.blobs) };
    broken.blobs.delete(other.id);
    await expect(images.load(ociArchive(broken))).rejects.toThrow("not found");
    expect({ blobs: blobs(), layers: await snapshots.listLayers() }).toEqual(before);
  });

  test("what a kill has left is removed by prune, or after a day", async () => {
    const { images, root, snapshots, blobs } = await loaded();
    const before = blobs();
    await images.close();
    const leave = (): void =>
      writeFileSync(join(root, "blobs/sha256", digestOf("left").slice(7)), "left");
    leave();
    const again = await testImages({ root, snapshots });
    expect(blobs()).toHaveLength(before.length + 1);
    expect(await again.prune()).toEqual({ results: [], bytes: 4 });
    expect(blobs()).toEqual(before);
    leave();
    await again.close();
    const later = await testImages({ root, snapshots, now: () => Date.now() + 25 * 3600_000 });
    expect(blobs()).toEqual(before);
    expect((await later.verify()).problems).toEqual([]);
  });

  test("an image that a container uses keeps its name", async () => {
    const users = [{ imageId: one.id, containerId: "c".repeat(64), isRunning: true }];
    const { images } = await loaded({ users: () => users });
    await expect(images.remove("one:1")).rejects.toThrow("container cccccccccccc is using");
    expect(images.store.resolve("one:1")?.id).toBe(one.id);
  });
});

describe("verify", () => {
  test("a sound store has no problems", async () => {
    const { images, blobs } = await loaded();
    expect(await images.verify()).toMatchObject({ images: 2, blobs: blobs().length, problems: [] });
  });

  test("finds damaged and missing blobs, layers and images", async () => {
    const { images, root, snapshots } = await loaded();
    const [first, second] = one.layers.map(({ digest }) => digest) as [string, string];
    appendFileSync(join(root, "blobs/sha256", first.slice(7)), "x");
    rmSync(join(root, "blobs/sha256", second.slice(7)));
    await snapshots.removeLayer(one.diffIds[1] ?? "");
    const { problems } = await images.verify();
    const name = "docker.io/library/one:1";
    const two1 = "docker.io/library/two:1";
    expect(problems).toEqual(
      expect.arrayContaining([
        { subject: first, problem: expect.stringMatching(/^its content has the digest sha256:/) },
        { subject: name, problem: `layer ${first} is missing or damaged` },
        { subject: name, problem: `layer ${second} is missing or damaged` },
        { subject: name, problem: `layer ${one.diffIds[1]} is not unpacked` },
        { subject: two1, problem: `layer ${first} is missing or damaged` },
      ]),
    );
    expect(problems).toHaveLength(5);
  });
});
