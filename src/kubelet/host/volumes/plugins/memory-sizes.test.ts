import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { hugePageSize } from "./huge-page-size.ts";
import { memoryVolumeBytes } from "./memory-volume-bytes.ts";

const pod = (spec: object): Pod => ({ spec, status: {} }) as unknown as Pod;
const limited = (...memory: readonly (string | undefined)[]): Pod =>
  pod({
    containers: memory.map((amount) => ({
      resources: { limits: amount ? { memory: amount } : {} },
    })),
  });

each<
  [
    pod: Pod,
    sizeLimit: string | undefined,
    allocatable: string | undefined,
    bytes: number | undefined,
  ]
>([
  [limited(undefined), undefined, "1Gi", 2 ** 30],
  [limited(undefined), "8Mi", "1Gi", 2 ** 23],
  [limited(undefined), "2Gi", "1Gi", 2 ** 30],
  [limited(undefined), "0", "1Gi", 2 ** 30],
  [limited("4Mi", "4Mi"), undefined, "1Gi", 2 ** 23],
  [limited("4Mi", "4Mi"), "1Mi", "1Gi", 2 ** 20],
  [limited("4Mi", "4Mi"), "1Gi", "1Gi", 2 ** 23],
  // One container may use all memory of the node.
  [limited("4Mi", undefined), undefined, "1Gi", 2 ** 30],
  [pod({ containers: [{}], resources: { limits: { memory: "4Mi" } } }), undefined, "1Gi", 2 ** 22],
  [limited(undefined), undefined, undefined, undefined],
])("memoryVolumeBytes: %j, limit %s, node %s: %s", (one, sizeLimit, allocatable, bytes) => {
  expect(memoryVolumeBytes(one, sizeLimit, allocatable)).toBe(bytes);
});

const pages = (...names: readonly string[]): Pod =>
  pod({
    containers: [{ resources: { requests: Object.fromEntries(names.map((n) => [n, "4Mi"])) } }],
  });

test("hugePageSize: that of the medium, or the only one that is requested", () => {
  expect(hugePageSize("HugePages", pages("cpu", "hugepages-2Mi"))).toBe("2Mi");
  expect(hugePageSize("HugePages-1Gi", pages("hugepages-2Mi", "hugepages-1Gi"))).toBe("1Gi");
});

each<[medium: string, pod: Pod, message: string]>([
  ["Tape", pages(), 'unknown storage medium "Tape"'],
  [
    "HugePages",
    pages("hugepages-2Mi", "hugepages-1Gi"),
    "medium: HugePages can't be used if container requests multiple huge page sizes",
  ],
  [
    "HugePages-1Gi",
    pages("hugepages-2Mi"),
    "medium HugePages-1Gi: hugePages storage requested, but there is no resource request for huge pages",
  ],
])("hugePageSize: %s rejects", (medium, one, message) => {
  expect(() => hugePageSize(medium, one)).toThrow(message);
});
