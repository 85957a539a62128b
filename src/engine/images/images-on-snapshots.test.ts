import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { type OpenedSnapshots, openSnapshots } from "../snapshots/open-snapshots.ts";
import { testImages } from "./images.test-support.ts";
import { buildImage, busyboxImage, ociArchive, tarOf } from "./oci-image.test-support.ts";
import { startRegistry } from "./test-registry.test-support.ts";

async function testSnapshots(): Promise<OpenedSnapshots> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "wherry-layers-")));
  const snapshots = await openSnapshots({ root });
  onTestFinished(async () => {
    for (const id of await snapshots.list()) await snapshots.remove(id);
    await snapshots.close();
    rmSync(root, { recursive: true });
  });
  return snapshots;
}

describeWith(requires("containers"))("images on real snapshots", () => {
  test("a pulled image has the files of all its layers", async () => {
    const registry = await startRegistry();
    const built = busyboxImage({ files: [{ name: "hello", content: "hi" }], compression: "zstd" });
    registry.add("busybox:1", built);
    const snapshots = await testSnapshots();
    const images = await testImages({ snapshots, registry: { hostsFolders: [] } });
    const { image } = await images.pull(`${registry.host}/busybox:1`);
    await snapshots.create("c", image.layers);
    const root = await snapshots.mount("c");
    expect(readFileSync(join(root, "hello"), "utf8")).toBe("hi");
    expect(existsSync(join(root, "bin/busybox"))).toBe(true);
  });

  test("what a container wrote becomes an image, and its layers stay while they are used", async () => {
    const snapshots = await testSnapshots();
    const images = await testImages({ snapshots });
    const [loaded] = await images.load(
      ociArchive(buildImage([tarOf([{ name: "a", content: "a" }])])),
    );
    const base = loaded?.image;
    await snapshots.create("c", base?.layers ?? []);
    const root = await snapshots.mount("c");
    writeFileSync(join(root, "b"), "b");
    rmSync(join(root, "a"));
    const layer = await snapshots.diff("c");
    const built = await images.build({ base, layer, config: { Cmd: ["x"] }, name: "committed" });
    await snapshots.create("d", built.layers);
    const copy = await snapshots.mount("d");
    expect([existsSync(join(copy, "a")), readFileSync(join(copy, "b"), "utf8")]).toEqual([
      false,
      "b",
    ]);
    expect(await images.remove("committed", { force: true })).toContainEqual({ Deleted: built.id });
    expect(await snapshots.listLayers()).toEqual(expect.arrayContaining([...built.layers]));
    await snapshots.remove("d");
    await images.prune();
    expect(await snapshots.listLayers()).toEqual(base?.layers);
  });

  test.each([
    ["../escaped", "file"],
    ["/etc/../../escaped", "file"],
  ] as const)("a layer with the path %s is refused, with the reason", async (name, type) => {
    const snapshots = await testSnapshots();
    const images = await testImages({ snapshots });
    const hostile = buildImage([tarOf([{ name, type, content: "x" }])]);
    await expect(images.load(ociArchive(hostile))).rejects.toMatchObject({
      message: `cannot unpack layer ${hostile.diffIds[0]}`,
      cause: expect.objectContaining({ message: expect.stringContaining("..") }),
    });
    expect(images.store.list()).toEqual([]);
    expect(await snapshots.listLayers()).toEqual([]);
  });
});
