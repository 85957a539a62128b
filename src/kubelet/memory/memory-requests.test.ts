import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { gibibyte, guaranteedPod } from "./memory.test-support.ts";
import { podMemoryRequests } from "./memory-requests.ts";

each<[containers: string, expected: Record<string, number>]>([
  ["app=1 other=2", { memory: 3 }],
  ["init=4 app=1 other=2", { memory: 4 }],
  ["sidecar=1 init=3 sidecar2=2 app=2", { memory: 5 }],
  ["init=1+5 app=2+1", { memory: 2, "hugepages-1Gi": 5 }],
  ["init=1+5 app=2", { memory: 2 }],
])("podMemoryRequests: %s", (containers, expected) => {
  const found = podMemoryRequests(guaranteedPod("p", containers));
  expect(
    Object.fromEntries(Array.from(found, ([name, bytes]) => [name, bytes / gibibyte])),
  ).toEqual(expected);
});
