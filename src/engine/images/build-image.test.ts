import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { expect, test } from "vitest";
import { digestOf } from "./digest.ts";
import { hashedLayers } from "./hashed-layers.test-support.ts";
import { testImages } from "./images.test-support.ts";
import { buildImage, dockerArchive, ociArchive, tarOf } from "./oci-image.test-support.ts";

const layer = tarOf([{ name: "a", content: "a" }]);
const upper = tarOf([{ name: "b", content: "b" }]);
const base = buildImage([layer], { Cmd: ["x"], Env: ["A=1"] });
const now = (): number => Date.parse("2025-01-01T00:00:00Z");

test("build: a layer alone is an image of this machine's platform", async () => {
  const snapshots = hashedLayers();
  const images = await testImages({ snapshots, now });
  const platform = { os: "linux", architecture: "arm64", variant: "v8" };
  const built = await images.build({
    layer: Readable.from([layer]).pipe(createGzip()),
    config: { Cmd: ["sh"] },
    platform,
    name: "imported",
    history: { comment: "Imported from -" },
  });
  expect(built).toMatchObject({
    tags: ["docker.io/library/imported:latest"],
    layers: [digestOf(layer)],
    config: {
      ...platform,
      created: "2025-01-01T00:00:00.000Z",
      config: { Cmd: ["sh"] },
      history: [{ created: "2025-01-01T00:00:00.000Z", comment: "Imported from -" }],
    },
  });
  expect(snapshots.unpacked).toEqual([digestOf(layer)]);
});

test("build: a layer on another image keeps that image's layers and history", async () => {
  const images = await testImages({ now });
  const [loaded] = await images.load(ociArchive(base, "docker.io/library/base:1"));
  const built = await images.build({
    base: loaded?.image,
    layer: Readable.from([upper]),
    config: { Cmd: ["y"] },
    author: "me",
    history: { created_by: "sh" },
  });
  expect(built).toMatchObject({
    tags: [],
    layers: [digestOf(layer), digestOf(upper)],
    config: {
      architecture: base.config.architecture,
      author: "me",
      config: { Cmd: ["y"] },
      history: [{ created_by: "test" }, { created_by: "sh", author: "me" }],
    },
  });
  expect((await images.verify()).problems).toEqual([]);
});

test("build: an empty layer adds only history", async () => {
  const images = await testImages({ now });
  const [loaded] = await images.load(dockerArchive(base));
  const built = await images.build({
    base: loaded?.image,
    layer: Readable.from([Buffer.alloc(10240)]),
    config: { Cmd: ["z"] },
  });
  expect(built.layers).toEqual([digestOf(layer)]);
  expect(built.config.history?.at(-1)).toMatchObject({ empty_layer: true });
});

test("build: a layer that breaks off leaves nothing", async () => {
  const images = await testImages({ now });
  const broken = Readable.from(
    (async function* () {
      yield layer.subarray(0, 100);
      throw new Error("broken pipe");
    })(),
  );
  await expect(images.build({ layer: broken, config: {} })).rejects.toThrow("broken pipe");
  expect(images.store.list()).toEqual([]);
  expect(await images.collect()).toEqual({ blobs: 0, layers: 0, bytes: 0 });
});
