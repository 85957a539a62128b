import { aggregateMessage } from "../../base/aggregate-message.ts";
import { type Clock, steadyTimeOf } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import type { KubeletEvent } from "../kubelet-events.ts";
import type { ImageAccess } from "./access/image-access.ts";
import { bytesToFree, type ImageDisk, type ImagePolicy, sizeText } from "./image-policy.ts";
import {
  type ImageRecord,
  type ImageRecords,
  removableImages,
  updateImageRecords,
} from "./image-records.ts";

/** Removes images that nobody uses. */
export interface ImageCollector {
  /** Notes what images are in use. */
  detect(): Promise<void>;
  /** Removes images that are too old or take too much of their disk; rejects if not enough could be removed. */
  collect(tell: (event: KubeletEvent) => void): Promise<void>;
  /** Removes all unused images that are not too young. */
  removeUnused(): Promise<void>;
}

export interface ImageCollectorOptions {
  readonly images: ImageService;
  /** Forgets who may use images that are gone. */
  readonly access?: Pick<ImageAccess, "prune"> | undefined;
  readonly runtime: Pick<RuntimeService, "listContainers">;
  readonly policy: ImagePolicy;
  /** Reads the state of the disk that holds images. */
  readonly imageDisk: () => Promise<ImageDisk>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

export function createImageCollector(options: ImageCollectorOptions): ImageCollector {
  const { images, runtime, policy, clock, log } = options;
  const steadyTime = steadyTimeOf(clock);
  const startedAt = steadyTime();
  const removed = (options.metrics ?? noMetrics).counter({
    name: "kubelet_image_garbage_collected_total",
    help: "Total number of images garbage collected by the kubelet, whether through disk usage or image age.",
    stability: "ALPHA",
    labels: ["reason"],
  });
  let records: ImageRecords = new Map();

  const detect = async (): Promise<void> => {
    const found = {
      images: await images.listImages(),
      containers: await runtime.listContainers(),
    };
    records = updateImageRecords(records, found, steadyTime());
  };
  /** Removes images until so many bytes are free; failures do not keep it from removing others. */
  const remove = async (
    candidates: readonly ImageRecord[],
    reason: "age" | "space",
    bytes: number,
  ): Promise<Removal> => {
    const failures: string[] = [];
    let freed = 0;
    for (const { image } of candidates) {
      if (freed >= bytes) break;
      log.info("removing an image that nobody uses", { image: image.id, size: image.sizeBytes });
      try {
        await images.removeImage(image.id);
      } catch (error) {
        failures.push(errorMessage(error));
        continue;
      }
      removed.of(reason).add(1);
      freed += image.sizeBytes;
    }
    return { freed, failures };
  };
  const prune = async (): Promise<void> => {
    const since = clock.now();
    const left = await images.listImages();
    await options.access?.prune(new Set(left.map(({ id }) => id)), since);
  };
  const removeOld = async (): Promise<void> => {
    const { maxAgeMs } = policy;
    const now = steadyTime();
    // What was used before the kubelet started is not known.
    if (maxAgeMs === 0 || now - startedAt <= maxAgeMs) return;
    const old = removableImages(records).filter(({ lastUsedAt }) => now - lastUsedAt > maxAgeMs);
    const { failures } = await remove(old, "age", Number.POSITIVE_INFINITY);
    if (failures.length === 0) return;
    const age = formatDuration(BigInt(maxAgeMs) * 1_000_000n);
    throw new Error(
      `wanted to free images older than ${age}, encountered errors in image deletion: ${aggregateMessage(failures)}`,
    );
  };
  const free = async (bytes: number): Promise<number> => {
    const now = steadyTime();
    const candidates = removableImages(records).filter(
      ({ firstSeenAt }) => now - firstSeenAt >= policy.minAgeMs,
    );
    const { freed, failures } = await remove(candidates, "space", bytes);
    if (failures.length === 0) return freed;
    const wanted = Number.isFinite(bytes) ? `${bytes}` : allBytes;
    throw new Error(
      `wanted to free ${wanted} bytes, but freed ${freed} bytes space with errors in image deletion: ${aggregateMessage(failures)}`,
    );
  };

  return {
    detect,
    async collect(tell) {
      await detect();
      await removeOld();
      await prune();
      const disk = await options.imageDisk();
      if (disk.capacityBytes === 0) {
        const message = "invalid capacity 0 on image filesystem";
        tell({ type: "Warning", reason: "InvalidDiskCapacity", message });
        throw new Error(message);
      }
      const { bytes, usagePercent } = bytesToFree(disk, policy);
      if (bytes <= 0) return;
      await detect();
      const freed = await free(bytes);
      await prune();
      if (freed >= bytes) return;
      const message = `Insufficient free disk space on the node's image filesystem (${usagePercent}% of ${sizeText(disk.capacityBytes)} used). Failed to free sufficient space by deleting unused images (freed ${freed} bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.`;
      tell({ type: "Warning", reason: "FreeDiskSpaceFailed", message });
      throw new Error(message);
    },
    async removeUnused() {
      await detect();
      await free(Number.POSITIVE_INFINITY);
      await prune();
    },
  };
}

interface Removal {
  readonly freed: number;
  readonly failures: readonly string[];
}

/** Upstream's number for as much as possible. */
const allBytes = "9223372036854775807";
