import { expect, test } from "vitest";
import { aPod, aPodInfo, type PodParts } from "./framework.test-support.ts";
import { podAmounts } from "./pod-resources.ts";

const container = (name: string, cpu?: string, more: object = {}) => ({
  name,
  ...(cpu && { resources: { requests: { cpu } } }),
  ...more,
});
const sidecar = { restartPolicy: "Always" };

test.each<[string, PodParts, number]>([
  ["containers add up", { spec: { containers: [container("a", "1"), container("b", "2")] } }, 3000],
  [
    "an init container counts where it needs more",
    { spec: { containers: [container("a", "1")], initContainers: [container("i", "5")] } },
    5000,
  ],
  [
    "sidecars run beside the containers, and beside the init containers after them",
    {
      spec: {
        containers: [container("a", "2")],
        initContainers: [container("s", "1", sidecar), container("i", "5")],
      },
    },
    6000,
  ],
  [
    "what the pod says as a whole counts more",
    { spec: { containers: [container("a", "1")], resources: { requests: { cpu: "4" } } } },
    4000,
  ],
  [
    "the overhead comes on top",
    { spec: { containers: [container("a", "1")], overhead: { cpu: "250m" } } },
    1250,
  ],
])("podAmounts: %s", (_, parts, expected) => {
  expect(podAmounts(aPod("p", parts)).get("cpu")).toBe(expected);
});

const resized = (more: object = {}) =>
  aPod("p", {
    spec: { containers: [container("a", "3")] },
    status: {
      containerStatuses: [
        { name: "a", resources: { requests: { cpu: "1" } }, allocatedResources: { cpu: "2" } },
      ],
      ...more,
    },
  });

test("podAmounts: during a resize the allocated resources count, an infeasible resize does not", () => {
  expect(podAmounts(resized(), { withStatus: true }).get("cpu")).toBe(3000);
  const infeasible = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }];
  expect(podAmounts(resized({ conditions: infeasible }), { withStatus: true }).get("cpu")).toBe(
    2000,
  );
  expect(podAmounts(resized({ conditions: infeasible })).get("cpu")).toBe(3000);
});

test("podInfo: containers without requests count with small defaults in scores", () => {
  const info = aPodInfo("p", { spec: { containers: [container("a"), container("b", "1")] } });
  expect(info.requests.milliCpu).toBe(1000);
  expect(info.nonZeroMilliCpu).toBe(1100);
  expect(info.nonZeroMemory).toBe(2 * 200 * 1024 * 1024);
});

test("podInfo: pod-level requests leave no defaults to assume", () => {
  const info = aPodInfo("p", {
    spec: { containers: [container("a")], resources: { requests: { cpu: "2" } } },
  });
  expect(info.nonZeroMilliCpu).toBe(2000);
  expect(info.nonZeroMemory).toBe(200 * 1024 * 1024);
});
