import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { deletionOrder } from "./deletion-order.ts";

const now = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number): string =>
  new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");

interface Traits {
  readonly node?: string;
  readonly phase?: "Pending" | "Unknown" | "Running";
  /** For how many seconds it has been ready. */
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  /** How many seconds ago it was created. */
  readonly age?: number;
}

function pod(name: string, traits: Traits): Pod {
  const {
    node = "n1",
    phase = "Running",
    ready,
    cost,
    restarts,
    sidecarRestarts,
    age = 100,
  } = traits;
  const status = (container: string, restartCount: number) => ({
    name: container,
    image: "web",
    imageID: "",
    ready: true,
    restartCount,
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      creationTimestamp: ago(age),
      ...(cost !== undefined && {
        annotations: { "controller.kubernetes.io/pod-deletion-cost": cost },
      }),
    },
    spec: {
      ...(node && { nodeName: node }),
      containers: [{ name: "web" }],
      initContainers: [{ name: "sidecar", restartPolicy: "Always" }],
    },
    status: {
      phase,
      conditions:
        ready === undefined
          ? []
          : [{ type: "Ready", status: "True", lastTransitionTime: ago(ready) }],
      containerStatuses: [status("web", restarts ?? 0)],
      initContainerStatuses: [status("sidecar", sidecarRestarts ?? 0)],
    },
  } as unknown as Pod;
}

test.each<[string, Traits, Traits]>([
  ["one without a node goes first", { node: "", ready: 5 }, { phase: "Pending" }],
  [
    "a pending pod is deleted before one in an unknown phase",
    { phase: "Pending" },
    { phase: "Unknown" },
  ],
  ["one of which nothing is known goes before one that runs", { phase: "Unknown" }, {}],
  ["one that is not ready goes before one that is", {}, { ready: 1 }],
  ["one that costs less goes first", { cost: "-5", ready: 900 }, { ready: 1 }],
  ["however that is written", { cost: "-007", ready: 900 }, { cost: "-5", ready: 1 }],
  ["one that is ready for less time goes first", { ready: 10 }, { ready: 1000 }],
  ["times of one magnitude are equal, and the uid decides", { ready: 900 }, { ready: 890 }],
  ["one that was restarted more often goes first", { restarts: 3, age: 900 }, { age: 1 }],
  ["then one whose sidecar was", { sidecarRestarts: 1, age: 900 }, { age: 1 }],
  ["the younger goes first", { age: 10 }, { age: 1000 }],
])("deletionOrder: %s", (_, first, second) => {
  const [a, b] = [pod("a", first), pod("b", second)];
  expect(deletionOrder([b, a], [], now).map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
});

test("deletionOrder: a deletion cost that is not a number counts as 0", () => {
  const [a, b] = [pod("a", { cost: "-1" }), pod("b", { cost: "07", age: 1 })];
  expect(deletionOrder([b, a], [], now).map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
});

test("deletionOrder: a pod with more related pods on its node is deleted first", () => {
  const pods = [pod("a", { node: "n1", ready: 5 }), pod("b", { node: "n2", ready: 5 })];
  const related = [...pods, pod("c", { node: "n2" })];
  expect(deletionOrder(pods, related, now).map(({ metadata }) => metadata.name)).toEqual([
    "b",
    "a",
  ]);
});
