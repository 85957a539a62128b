import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Image } from "../../cri/image-service.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";
import { bytesToFree, type ImagePolicy, imagePolicyProblem, sizeText } from "./image-policy.ts";
import { type ImageRecords, removableImages, updateImageRecords } from "./image-records.ts";

const policyOf = (highThresholdPercent: number, lowThresholdPercent: number): ImagePolicy => ({
  highThresholdPercent,
  lowThresholdPercent,
  minAgeMs: 0,
  maxAgeMs: 0,
});

each<[number, number, string | undefined]>([
  [85, 80, undefined],
  [80, 80, undefined],
  [101, 80, "invalid HighThresholdPercent 101, must be in range [0-100]"],
  [85, -1, "invalid LowThresholdPercent -1, must be in range [0-100]"],
  [80, 85, "LowThresholdPercent 85 can not be higher than HighThresholdPercent 80"],
])("imagePolicyProblem: high %d, low %d", (high, low, problem) => {
  expect(imagePolicyProblem(policyOf(high, low))).toBe(problem);
});

each<[available: number, bytes: number, percent: number]>([
  [2000, 0, 80],
  [1600, 0, 84],
  [1500, 500, 85],
  [100, 1900, 99],
  [99_999, 0, 0],
])("bytesToFree: of 10000 bytes, %d are available", (availableBytes, bytes, usagePercent) => {
  const found = bytesToFree({ capacityBytes: 10_000, availableBytes }, policyOf(85, 80));
  expect(found).toEqual({ bytes, usagePercent });
});

each<[number, string]>([
  [512, "512 B"],
  [1536, "1.5 KiB"],
  [2 ** 20, "1.0 MiB"],
  [100 * 2 ** 30, "100.0 GiB"],
  [2048 * 2 ** 40, "2048.0 TiB"],
])("sizeText: %d", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

const image = (id: string, more: Partial<Image> = {}): Image => ({
  id,
  repoTags: [`${id}:tag`],
  repoDigests: [`${id}@sha256:1`],
  sizeBytes: 1,
  ...more,
});
const container = (status: Partial<ContainerStatus>): ContainerStatus =>
  ({ image: "", imageRef: "", ...status }) as ContainerStatus;

each<[string, readonly Image[], readonly ContainerStatus[], readonly string[]]>([
  ["nothing uses them", [image("a"), image("b")], [], ["a", "b"]],
  ["used by ID", [image("a")], [container({ imageId: "a" })], []],
  ["used by digest", [image("a")], [container({ imageRef: "a@sha256:1" })], []],
  [
    "used by an ended container",
    [image("a")],
    [container({ image: "a:tag", state: "exited" })],
    [],
  ],
  [
    "used as a volume",
    [image("a")],
    [container({ mounts: [{ containerPath: "/", hostPath: "", image: "a" }] })],
    [],
  ],
  ["pinned", [image("a", { pinned: true })], [], []],
])("removableImages: %s", (_, images, containers, expected) => {
  const records = updateImageRecords(new Map(), { images, containers }, 1);
  expect(removableImages(records).map((record) => record.image.id)).toEqual(expected);
});

each<[readonly string[]]>([[["old", "new", "used-first", "used-last"]]])(
  "removableImages: never used and first seen first: %j",
  (expected) => {
    const images = (...names: readonly string[]) => names.map((name) => image(name));
    const using = (imageId: string) => [container({ imageId })];
    let records: ImageRecords = new Map();
    const see = (names: readonly string[], used: string, now: number): void => {
      const found = { images: images(...names), containers: using(used) };
      records = updateImageRecords(records, found, now);
    };
    see(["old", "used-first", "used-last", "gone"], "used-first", 1);
    see(["old", "used-first", "used-last"], "used-last", 2);
    see(["new", "old", "used-first", "used-last"], "", 3);
    expect(removableImages(records).map((record) => record.image.id)).toEqual(expected);
  },
);
