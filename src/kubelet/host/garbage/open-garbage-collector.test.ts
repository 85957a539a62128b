import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { noLog } from "../../../base/log.ts";
import type { Image, ImageService } from "../../../cri/image-service.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { mustRun } from "../../../platform/run-child.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import { openGarbageCollector } from "./open-garbage-collector.ts";

testWith(requires("containers"))("images are removed when their disk is full", async () => {
  const rootDir = await mkdtemp(join(tmpdir(), "garbage-"));
  onTestFinished(() => rm(rootDir, { recursive: true, force: true }));
  const mountpoint = join(rootDir, "images");
  await mkdir(mountpoint);
  await mustRun("mount", ["-t", "tmpfs", "-o", "size=1m", "none", mountpoint]);
  onTestFinished(async () => void (await mustRun("umount", [mountpoint])));
  await writeFile(join(mountpoint, "layers"), Buffer.alloc(900_000));
  const removed: string[] = [];
  const image = { id: "a", repoTags: [], repoDigests: [], sizeBytes: 900_000 } as Image;
  const usage = { at: 0, mountpoint, usedBytes: 0, inodesUsed: 0 };
  const images = {
    listImages: async () => (removed.length === 0 ? [image] : []),
    removeImage: async (id: string) => void removed.push(id),
    imageFsInfo: async () => ({ images: [usage], containers: [usage] }),
  } as unknown as ImageService;
  const runtime = {
    listContainers: async () => [],
    listPodSandboxes: async () => [],
  } as unknown as RuntimeService;
  const collector = openGarbageCollector({
    images,
    runtime,
    rootDir,
    imagePolicy: {
      highThresholdPercent: 85,
      lowThresholdPercent: 80,
      minAgeMs: 0,
      maxAgeMs: 0,
    },
    containerPolicy: { minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 },
    clock: realClock,
    log: noLog,
  });
  onTestFinished(() => collector.close());
  const told: KubeletEvent[] = [];
  const events = { node: (_: unknown, event: KubeletEvent) => void told.push(event) };
  collector.start({
    nodeName: "n",
    events: events as never,
    podState: () => "deleted",
  });
  await expect.poll(() => removed).toEqual(["a"]);
  expect(told).toEqual([]);
});
