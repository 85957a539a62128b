import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readTar } from "../../../platform/tar/tar-reader.ts";
import { testImages } from "../images.test-support.ts";
import { buildImage, dockerArchive, ociArchive, tarOf } from "../oci-image.test-support.ts";
import { parseReference } from "../reference.ts";

const layer = tarOf([{ name: "a", content: "a".repeat(3000) }]);
const one = buildImage([layer, layer], { Cmd: ["1"] });
const two = buildImage([layer], { Cmd: ["2"], compression: "none" });

async function filesOf(archive: Readable): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const entry of readTar(archive))
    if (entry.type === "file") files.set(entry.name, await buffer(Readable.from(entry.content())));
  return files;
}

const json = (files: ReadonlyMap<string, Buffer>, name: string): unknown =>
  JSON.parse(String(files.get(name)));
const path = (digest: string): string => `blobs/${digest.replace(":", "/")}`;

test("save: has OCI's layout and docker's manifest of the same blobs", async () => {
  const images = await testImages();
  await images.load(ociArchive(one, "docker.io/library/app:1"));
  await images.store.tag(one.id, parseReference("quay.io/x/app:2"));
  const files = await filesOf(images.save(["app:1", "quay.io/x/app"]));
  for (const [digest, bytes] of one.blobs) expect(files.get(path(digest))).toEqual(bytes);
  const layerPath = path(one.layers[0]?.digest ?? "");
  expect(json(files, "manifest.json")).toMatchObject([
    {
      Config: path(one.id),
      RepoTags: ["app:1", "quay.io/x/app:2"],
      Layers: [layerPath, layerPath],
    },
  ]);
  expect(json(files, "index.json")).toMatchObject({
    schemaVersion: 2,
    manifests: [
      {
        digest: one.manifest,
        annotations: { "io.containerd.image.name": "docker.io/library/app:1" },
      },
      { digest: one.manifest, annotations: { "org.opencontainers.image.ref.name": "2" } },
    ],
  });
  const top = one.layers[1]?.digest.slice(7);
  expect(json(files, "repositories")).toEqual({ app: { 1: top }, "quay.io/x/app": { 2: top } });
  expect(json(files, "oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
});

test("save: what is saved can be loaded, with all tags of a repository", async () => {
  const from = await testImages();
  await from.load(dockerArchive(one, "app:1", "app:2"));
  await from.load(dockerArchive(two, "app:3", "other:1"));
  const to = await testImages();
  const loaded = await to.load(from.save(["app", two.id]));
  expect(loaded.map(({ image }) => image.id).sort()).toEqual([one.id, two.id].sort());
  expect(to.store.resolve("app:3")?.tags).toEqual(["docker.io/library/app:3"]);
  expect(to.store.resolve(one.id)).toEqual({
    ...from.store.resolve(one.id),
    lastTaggedAt: expect.any(Number),
  });
});

test("save: by ID there are no tags", async () => {
  const images = await testImages();
  await images.load(dockerArchive(one, "app:1"));
  const files = await filesOf(images.save([one.id.slice(7, 19)]));
  expect(json(files, "manifest.json")).toMatchObject([{ RepoTags: null }]);
  expect(files.has("repositories")).toBe(false);
});

test("save: an unknown image is an error at once", async () => {
  const images = await testImages();
  expect(() => images.save(["app:1"])).toThrow("No such image: app:1");
});
