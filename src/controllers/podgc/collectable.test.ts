import { expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  excessPods,
  isHeldByOthers,
  isOutOfService,
  isTerminated,
  isUnscheduledTerminating,
} from "./collectable.ts";

interface Traits {
  readonly name?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly node?: string;
  readonly grace?: number;
  /** How many seconds after the others it was created. */
  readonly created?: number;
}
const pod = ({ name = "p", phase = "Running", reason, node, grace, created = 0 }: Traits): Pod =>
  ({
    metadata: {
      name,
      creationTimestamp: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
      ...(grace !== undefined && {
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: grace,
      }),
    },
    spec: { ...(node && { nodeName: node }) },
    status: { phase, ...(reason && { reason }) },
  }) as unknown as Pod;
const node = (ready: string, ...keys: string[]): Node =>
  ({
    metadata: { name: "n" },
    spec: { taints: keys.map((key) => ({ key, effect: "NoExecute" })) },
    status: { conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as Node;

test.each([
  ["Pending", false],
  ["Running", false],
  ["Unknown", false],
  ["Succeeded", true],
  ["Failed", true],
])("isTerminated: %s", (phase, terminated) => {
  expect(isTerminated(pod({ phase }))).toBe(terminated);
});

test.each<[string, Traits, boolean]>([
  ["a terminating pod without a node", { grace: 30 }, true],
  ["a terminating pod on a node", { grace: 30, node: "n" }, false],
  ["not about to go", {}, false],
])("isUnscheduledTerminating: %s", (_, traits, is) => {
  expect(isUnscheduledTerminating(pod(traits))).toBe(is);
});

const key = "node.kubernetes.io/out-of-service";
test.each<[string, Traits, Node | undefined, boolean]>([
  ["a terminating pod on a node that is out of service", { grace: 30 }, node("Unknown", key), true],
  ["not about to go", {}, node("Unknown", key), false],
  ["the node is ready", { grace: 30 }, node("True", key), false],
  ["the node may come back", { grace: 30 }, node("Unknown", "other"), false],
  ["there is no node", { grace: 30 }, undefined, false],
])("isOutOfService: %s", (_, traits, on, is) => {
  expect(isOutOfService(pod({ ...traits, node: "n" }), on)).toBe(is);
});

test.each<[string, Traits, boolean]>([
  ["it has ended and was deleted without grace", { phase: "Failed", grace: 0 }, true],
  ["it was deleted with grace", { phase: "Failed", grace: 30 }, false],
  ["it has not ended", { phase: "Running", grace: 0 }, false],
  ["it was not deleted", { phase: "Failed" }, false],
])("isHeldByOthers: %s", (_, traits, is) => {
  expect(isHeldByOthers(pod(traits))).toBe(is);
});

test("excessPods: evicted pods first, then the oldest, then by name", () => {
  const pods = [
    pod({ name: "young", phase: "Succeeded", created: 9 }),
    pod({ name: "b", phase: "Failed", created: 5 }),
    pod({ name: "a", phase: "Succeeded", created: 5 }),
    pod({ name: "evicted", phase: "Failed", reason: "Evicted", created: 99 }),
    pod({ name: "old", phase: "Succeeded", created: 1 }),
  ];
  const names = (threshold: number) =>
    excessPods(pods, threshold).map(({ metadata }) => metadata.name);
  expect(names(1)).toEqual(["evicted", "old", "a", "b"]);
  expect(names(3)).toEqual(["evicted", "old"]);
  expect(names(5)).toEqual([]);
  expect(names(0)).toEqual([]);
  expect(names(-1)).toEqual([]);
});
