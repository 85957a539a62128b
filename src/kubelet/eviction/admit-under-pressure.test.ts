import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { NodePressure } from "../node/node-findings.ts";
import { rejectedByPressure } from "./admit-under-pressure.ts";
import { podWith } from "./eviction.test-support.ts";

const burstable = podWith("p", {}, { resources: { requests: { memory: "1Mi" } } });
const tolerant = podWith("p", {
  tolerations: [{ key: "node.kubernetes.io/memory-pressure", operator: "Exists" }],
});
const critical = podWith("p", { priority: 2_000_000_000 });

each<[string, Pod, readonly NodePressure[], string | undefined]>([
  ["no pressure", podWith("p"), [], undefined],
  ["best effort and memory", podWith("p"), ["MemoryPressure"], "[MemoryPressure]"],
  ["burstable and memory", burstable, ["MemoryPressure"], undefined],
  ["tolerant and memory", tolerant, ["MemoryPressure"], undefined],
  ["burstable and disk", burstable, ["DiskPressure"], "[DiskPressure]"],
  [
    "tolerant and both",
    tolerant,
    ["MemoryPressure", "DiskPressure"],
    "[MemoryPressure DiskPressure]",
  ],
  ["critical and all", critical, ["MemoryPressure", "DiskPressure", "PIDPressure"], undefined],
])("rejectedByPressure: %s", (_, pod, pressures, conditions) => {
  expect(rejectedByPressure(pod, pressures)).toEqual(
    conditions && { reason: "Evicted", message: `The node had condition: ${conditions}. ` },
  );
});
