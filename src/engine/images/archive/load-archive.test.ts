import { PassThrough, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { describe, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { hashedLayers } from "../hashed-layers.test-support.ts";
import { testImages } from "../images.test-support.ts";
import {
  buildImage,
  dockerArchive,
  type ImageFile,
  ociArchive,
  tarOf,
} from "../oci-image.test-support.ts";
import { fullName } from "../reference.ts";

const layer = tarOf([{ name: "hello", content: "hello\n" }]);
const image = buildImage([layer, tarOf([{ name: "b", content: "b" }]), layer], { Cmd: ["x"] });

each<[string, () => Readable]>([
  ["docker's archive", () => dockerArchive(image, "app:1", "quay.io/a/app:2")],
  ["OCI's archive", () => ociArchive(image, "docker.io/library/app:1")],
  ["a compressed archive", () => dockerArchive(image, "app:1").pipe(createGzip())],
])("load: %s", async (_, archive) => {
  const snapshots = hashedLayers();
  const images = await testImages({ snapshots });
  const [loaded] = await images.load(archive());
  expect(loaded?.names.map(fullName)).toContain("docker.io/library/app:1");
  expect(images.store.resolve("app:1")).toMatchObject({
    id: image.id,
    layers: image.diffIds,
    config: { config: { Cmd: ["x"] } },
  });
  expect([...snapshots.unpacked].sort()).toEqual([...new Set(image.diffIds)].sort());
});

test.each(["gzip", "zstd", "none"] as const)(
  "load: layers compressed by %s",
  async (compression) => {
    const images = await testImages();
    const built = buildImage([layer], { compression });
    const [loaded] = await images.load(ociArchive(built));
    expect(loaded).toMatchObject({ image: { id: built.id, tags: [] }, names: [] });
  },
);

test("load: equal layers of old archives are links", async () => {
  const images = await testImages();
  const twice = buildImage([layer, layer], { compression: "none" });
  const entry = { Config: "c.json", RepoTags: null, Layers: ["1/layer.tar", "2/layer.tar"] };
  const files: ImageFile[] = [
    { name: "1/layer.tar", content: layer },
    { name: "2/layer.tar", type: "symlink", linkName: "../1/layer.tar" },
    { name: "c.json", content: twice.blobs.get(twice.id) },
    { name: "manifest.json", content: JSON.stringify([entry]) },
  ];
  const [loaded] = await images.load(Readable.from([tarOf(files)]));
  expect(loaded?.image.id).toBe(twice.id);
});

test("load: names move from the image that had them, which becomes dangling", async () => {
  const images = await testImages();
  const first = buildImage([layer], { Cmd: ["1"] });
  const second = buildImage([layer], { Cmd: ["2"] });
  await images.load(dockerArchive(first, "app" + ":1"));
  await images.load(dockerArchive(second, "app:1"));
  expect(images.store.resolve("app:1")?.id).toBe(second.id);
  expect(images.store.resolve(first.id)).toMatchObject({ tags: [], digests: [] });
});

test("load: an abort does not wait for a silent pipe", async () => {
  const images = await testImages();
  const abort = new AbortController();
  const silent = new PassThrough();
  silent.write(layer.subarray(0, 100));
  const load = images.load(silent, { signal: abort.signal });
  abort.abort(new Error("stop"));
  await expect(load).rejects.toThrow("stop");
});

const archive = (...files: readonly ImageFile[]): Readable => Readable.from([tarOf(files)]);
const docker = (entry: object, ...files: readonly ImageFile[]): Readable =>
  archive(...files, { name: "manifest.json", content: JSON.stringify([entry]) });
const config: ImageFile = { name: "c.json", content: image.blobs.get(image.id) };

describe("load refuses", () => {
  each<[string, () => Readable, string]>([
    ["no archive", () => Readable.from([Buffer.from("hello")]), "unexpected EOF"],
    ["noise", () => Readable.from([Buffer.alloc(2048, 7)]), "invalid tar header"],
    [
      "an archive of docker before 1.10",
      () => archive({ name: "repositories", content: "{}" }),
      "it has no manifest.json, as before docker 1.10",
    ],
    ["an empty archive", () => archive(), "unrecognized image format"],
    [
      "an archive that ends early",
      () => Readable.from([tarOf([{ name: "a", content: Buffer.alloc(4096) }]).subarray(0, 2048)]),
      "unexpected EOF",
    ],
    [
      "a manifest that is no list",
      () => archive({ name: "manifest.json", content: "{}" }),
      "not a list",
    ],
    ["a missing configuration", () => docker({ Config: "c.json", Layers: [] }), 'no file "c.json"'],
    [
      "a path to a file of the machine",
      () => docker({ Config: "../../../../etc/passwd", Layers: [] }),
      'no file "../../../../etc/passwd"',
    ],
    [
      "a link to a file of the machine",
      () =>
        docker(
          { Config: "c.json", Layers: [] },
          { name: "c.json", type: "symlink", linkName: "/etc/passwd" },
        ),
      'no file "c.json"',
    ],
    [
      "too few layers",
      () => docker({ Config: "c.json", Layers: [] }, config),
      "layers length mismatch",
    ],
    [
      "a layer with another diff ID",
      () =>
        docker({ Config: "c.json", Layers: ["l", "l", "l"] }, config, {
          name: "l",
          content: tarOf([{ name: "evil", content: "x" }]),
        }),
      "wrong diff id calculated on extraction",
    ],
    [
      "an invalid name",
      () =>
        docker({ Config: "c.json", RepoTags: ["A"], Layers: ["l", "l", "l"] }, config, {
          name: "l",
        }),
      "must be lowercase",
    ],
    [
      "a digest that is a path",
      () =>
        archive({
          name: "index.json",
          content: JSON.stringify({
            manifests: [{ digest: "sha256:../../../etc/passwd", size: 1 }],
          }),
        }),
      "invalid checksum digest format",
    ],
    [
      "a blob with another content",
      () =>
        ociArchive({
          ...image,
          blobs: new Map(
            [...image.blobs].map(([digest, bytes]) => [
              digest,
              digest === image.layers[0]?.digest ? Buffer.from("other") : bytes,
            ]),
          ),
        }),
      ": not found",
    ],
  ])("%s", async (_, source, message) => {
    const images = await testImages();
    await expect(images.load(source())).rejects.toThrow(message);
    expect(images.store.list()).toEqual([]);
  });

  test("an archive that is too large", async () => {
    const images = await testImages({ limits: { imageBytes: 1000 } });
    await expect(images.load(dockerArchive(image))).rejects.toThrow("more than 1000 bytes");
  });

  test("an archive that expands too much", async () => {
    const bomb = Readable.from([tarOf([{ name: "zeros", content: Buffer.alloc(2 ** 22) }])]);
    const images = await testImages({ limits: { smallLayerBytes: 1000 } });
    await expect(images.load(bomb.pipe(createGzip()))).rejects.toThrow(/^the archive expands from/);
  });

  test("a layer that expands too much", async () => {
    const bomb = buildImage([Buffer.alloc(2 ** 20)]);
    const images = await testImages({ limits: { smallLayerBytes: 1000 } });
    await expect(images.load(ociArchive(bomb))).rejects.toThrow(/expands to more than \d+ bytes/);
  });
});
