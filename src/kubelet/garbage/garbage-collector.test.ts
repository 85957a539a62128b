import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { SimulatedImages } from "../../cri/simulated/simulated-images.ts";
import type { ImageDisk } from "../images/image-policy.ts";
import { clusterWithNodes } from "../nodes.test-support.ts";
import { createGarbageCollector, type GarbageCollectorOptions } from "./garbage-collector.ts";

/** A simulated node with images of its own, on a disk of 10 GB that a test fills. */
async function nodeWith(more: Partial<GarbageCollectorOptions> = {}) {
  const cluster = await clusterWithNodes();
  onTestFinished(() => cluster.end());
  const kubelet = cluster.nodes.kubelets.get("node-1");
  if (!kubelet) throw new Error("the node does not run");
  const { clock } = cluster;
  const images = new SimulatedImages(clock);
  const disk = { capacityBytes: 10_000_000_000, availableBytes: 9_000_000_000 };
  const metrics = new MetricsRegistry();
  const collector = createGarbageCollector({
    images,
    runtime: kubelet.runtime,
    imageDisk: async (): Promise<ImageDisk> => disk,
    imagePolicy: {
      highThresholdPercent: 85,
      lowThresholdPercent: 80,
      minAgeMs: 120_000,
      maxAgeMs: 0,
    },
    containerPolicy: { minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 },
    clock,
    log: noLog,
    metrics,
    ...more,
  });
  onTestFinished(() => collector.close());
  const names = async (): Promise<readonly (string | undefined)[]> =>
    (await images.listImages()).map(({ repoTags }) => repoTags[0]?.replace(/^.*\//, "")).sort();
  const nodeEvents = async () =>
    (await cluster.eventsOf("node-1")).filter((event) => /^(Free|Image|Invalid|Cont)/.test(event));
  return { cluster, kubelet, images, disk, collector, metrics, names, nodeEvents };
}

test("a full disk is freed of images that nobody uses, not of young ones", async () => {
  const { cluster, kubelet, images, disk, collector, metrics, names } = await nodeWith();
  await cluster.run({ name: "web", container: { image: "used" } });
  for (const image of ["used", "unused"]) await images.pullImage(image);
  collector.start(kubelet);
  await cluster.advance("4m");
  await images.pullImage("young");
  disk.availableBytes = 1_990_000_000;
  await cluster.advance("1m");
  expect(await names()).toEqual(["unused:latest", "used:latest", "young:latest"]);
  disk.availableBytes = 1_400_000_000;
  await cluster.advance("5m");
  expect(await names()).toEqual(["used:latest"]);
  expect(metrics.text()).toContain('kubelet_image_garbage_collected_total{reason="space"} 2');
});

test("too little to remove is an event, and a second failure in a row another one", async () => {
  const { cluster, kubelet, disk, collector, nodeEvents } = await nodeWith();
  disk.availableBytes = 500_000_000;
  collector.start(kubelet);
  await cluster.advance("1s");
  const message =
    "Insufficient free disk space on the node's image filesystem (95% of 9.3 GiB used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.";
  expect(await nodeEvents()).toEqual([`FreeDiskSpaceFailed: ${message}`]);
  await cluster.advance("5m");
  expect(await nodeEvents()).toContain(`ImageGCFailed: ${message}`);
});

test("a disk without capacity is an event", async () => {
  const { cluster, kubelet, disk, collector, nodeEvents } = await nodeWith();
  disk.capacityBytes = 0;
  collector.start(kubelet);
  await cluster.advance("1s");
  expect(await nodeEvents()).toEqual([
    "InvalidDiskCapacity: invalid capacity 0 on image filesystem",
  ]);
});

test("images that were not used for long are removed once the kubelet knows", async () => {
  const { cluster, kubelet, images, collector, names } = await nodeWith({
    imagePolicy: {
      highThresholdPercent: 100,
      lowThresholdPercent: 80,
      minAgeMs: 0,
      maxAgeMs: 3_600_000,
    },
  });
  await images.pullImage("old");
  collector.start(kubelet);
  await cluster.advance("60m");
  expect(await names()).toEqual(["old:latest"]);
  await cluster.advance("5m");
  expect(await names()).toEqual([]);
});

test("what cannot be removed is part of the error", async () => {
  const { cluster, kubelet, images, disk, collector, nodeEvents } = await nodeWith();
  await images.pullImage("unused");
  images.removeImage = async () => {
    throw new Error("read-only file system");
  };
  collector.start(kubelet);
  await cluster.advance("4m");
  disk.availableBytes = 1_400_000_000;
  await cluster.advance("10m");
  expect(await nodeEvents()).toEqual([
    "ImageGCFailed: wanted to free 600000000 bytes, but freed 0 bytes space with errors in image deletion: read-only file system",
  ]);
});

test("reclaiming removes unused images, and the containers of pods that ended", async () => {
  const { cluster, kubelet, images, collector, names } = await nodeWith();
  await images.pullImage("unused");
  const { runtime } = kubelet;
  await cluster.run({
    name: "job",
    spec: { restartPolicy: "Never" },
    container: { image: "busybox", command: ["sh", "-c", "exit 0"] },
  });
  await cluster.run({ name: "web" });
  collector.start(kubelet);
  await cluster.advance("3m");
  expect((await cluster.pod("job")).status.phase).toBe("Succeeded");
  expect(await runtime.listContainers()).toHaveLength(2);
  expect(await names()).toEqual(["unused:latest"]);
  await collector.reclaim("containers");
  await collector.reclaim("images");
  expect(await runtime.listContainers()).toHaveLength(1);
  expect(await runtime.listPodSandboxes()).toHaveLength(1);
  expect(await names()).toEqual([]);
});

test("a pod that comes while garbage is collected is not taken for a deleted one", async () => {
  const asked: boolean[] = [];
  const logs = {
    removeContainerLogs: async () => {},
    removePodLogs: async (isDeleted: (uid: string) => boolean) => {
      const { metadata } = await cluster.run({ name: "late" });
      asked.push(isDeleted(metadata.uid ?? ""), isDeleted("gone"));
    },
  };
  const { cluster, kubelet, collector } = await nodeWith({ logs });
  collector.start(kubelet);
  await cluster.advance("10s");
  expect(asked).toEqual([false, true]);
});

test("a runtime that cannot list its containers is an event", async () => {
  const { cluster, kubelet, collector, nodeEvents } = await nodeWith();
  const { runtime } = kubelet;
  const { listContainers } = runtime;
  runtime.listContainers = async (filter) => {
    if (!filter) throw new Error("no response");
    return listContainers.call(runtime, filter);
  };
  collector.start(kubelet);
  await cluster.advance("1s");
  expect(await nodeEvents()).toEqual(["ContainerGCFailed: no response"]);
});
