import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { podOf } from "../../../api/core/v1/pod/pod.test-support.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import { RuntimeError, type RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import type { PodHost } from "../pod-host.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { RuntimePod } from "../runtime-pod.ts";
import type { PodResources, ResourceState } from "./allocation-store.ts";
import { resizeActions } from "./resize-actions.ts";
import { resizePod } from "./resize-pod.ts";

const gibibyte = 1024 ** 3;

const resources = (cpu: number, memory: number) => {
  const amounts = { cpu: `${cpu}m`, memory: `${memory}Gi` };
  return { requests: amounts, limits: amounts };
};

/** The limits of a pod with these amounts. */
const limits = (cpu: number, memory: number): LinuxContainerResources => ({
  ...{ cpuShares: cpu, cpuQuota: cpu * 100, cpuPeriod: 100_000 },
  memoryLimitBytes: memory * gibibyte,
});

const podWith = (a: object, b: object): Pod =>
  podOf({
    metadata: { uid: "u1" },
    spec: {
      containers: [
        { name: "a", image: "i", resources: a },
        { name: "b", image: "i", resources: b },
      ],
    },
  }) as Pod;

const container = (name: string) => ({
  ...{ id: name, metadata: { name, attempt: 0 }, state: "running", resources: {} },
});
const runtimePod = {
  sandboxes: [],
  containers: [container("a"), container("b")],
} as unknown as RuntimePod;

interface Given {
  readonly pod: Pod;
  readonly actuated: PodResources;
  readonly current: LinuxContainerResources;
  readonly wanted: LinuxContainerResources;
  readonly usedBytes?: number;
  readonly fail?: (step: string) => Error | undefined;
  readonly starting?: readonly string[];
}

/** Resizes a pod; what is done in which order. */
async function resized(given: Given) {
  const steps: string[] = [];
  const take = (step: string): void => {
    const error = given.fail?.(step);
    if (error) throw error;
    steps.push(step);
  };
  let actuated = given.actuated;
  const state: ResourceState = {
    get: () => actuated,
    set: async (_, now) => {
      actuated = now;
    },
    remove: () => {},
    retain: () => {},
  };
  const { usedBytes = 0 } = given;
  const around = {
    allocations: { allocated: state, actuated: state },
    runtime: {
      async updateContainerResources(
        id: string,
        { cpuLimitMillis, memoryLimitBytes = 0 }: ContainerResources,
      ) {
        take(`${id}: ${cpuLimitMillis}m, ${memoryLimitBytes / gibibyte}Gi`);
      },
      updatePodSandboxResources: async () => take("notify"),
      podSandboxStats: async () => ({
        memoryUsageBytes: usedBytes,
        containers: [{ metadata: { name: "a" }, memoryUsageBytes: usedBytes }],
      }),
    } as unknown as RuntimeService,
    host: {
      resizer: {
        container: () => ({}),
        sandbox: () => ({}),
        wanted: () => given.wanted,
        current: async () => given.current,
        async set(_: Pod, { cpuPeriod: _period, ...changed }: LinuxContainerResources) {
          take(`pod: ${Object.entries(changed).map((entry) => entry.join(" "))}`);
        },
      },
    } as unknown as PodHost,
  } as PodSurroundings;
  const error = await resizePod(
    {
      ...{ pod: given.pod, sandboxId: "s", starting: given.starting ?? [] },
      actions: resizeActions(given.pod, runtimePod, given.actuated),
    },
    around,
  );
  return { steps: steps.filter((step) => step !== "notify"), error, actuated };
}

const before = { containers: { a: resources(1000, 2), b: resources(1000, 2) } };

each<[string, Partial<Given>, readonly string[]]>([
  [
    "a pod grows before its containers",
    { pod: podWith(resources(2000, 4), resources(1000, 2)), wanted: limits(3000, 6) },
    [
      `pod: memoryLimitBytes ${6 * gibibyte}`,
      "a: 1000m, 4Gi",
      "pod: cpuQuota 300000",
      "pod: cpuShares 3000",
      "a: 2000m, 4Gi",
    ],
  ],
  [
    "and shrinks after them",
    { pod: podWith(resources(500, 1), resources(1000, 2)), wanted: limits(1500, 3) },
    [
      "a: 1000m, 1Gi",
      `pod: memoryLimitBytes ${3 * gibibyte}`,
      "a: 500m, 1Gi",
      "pod: cpuShares 1500",
      "pod: cpuQuota 150000",
    ],
  ],
  [
    "what one container gives, another takes",
    { pod: podWith(resources(1000, 3), resources(1000, 1)), wanted: limits(2000, 4) },
    ["b: 1000m, 1Gi", "a: 1000m, 3Gi"],
  ],
  [
    "limits that the pod shall not have stay",
    { pod: podWith(resources(2000, 2), resources(1000, 2)), wanted: { cpuShares: 3000 } },
    ["pod: cpuShares 3000", "a: 2000m, 2Gi"],
  ],
  [
    "the first limits of a pod come last",
    {
      pod: podWith(resources(2000, 2), resources(1000, 2)),
      current: { cpuShares: 2000 },
      wanted: limits(3000, 4),
    },
    ["pod: cpuShares 3000", "a: 2000m, 2Gi", "pod: cpuQuota 300000"],
  ],
  [
    "nothing",
    { pod: podWith(resources(1000, 2), resources(1000, 2)), wanted: limits(2000, 4) },
    [],
  ],
])("resizePod: %s", async (_, given, expected) => {
  const pod = podWith({}, {});
  const current = limits(2000, 4);
  const all = { pod, actuated: before, current, wanted: current, ...given };
  const { steps, error } = await resized(all);
  expect(error).toBeUndefined();
  expect(steps).toEqual(expected);
});

const growing = {
  ...{ pod: podWith(resources(2000, 2), resources(1000, 2)), actuated: before },
  ...{ current: limits(2000, 4), wanted: limits(3000, 4) },
};
const shrinking = {
  ...{ pod: podWith(resources(1000, 1), resources(1000, 2)), actuated: before },
  ...{ current: limits(2000, 4), wanted: limits(2000, 3) },
};

test("resizePod: records what is in force", async () => {
  const { actuated } = await resized(growing);
  expect(actuated.containers.a).toMatchObject({ limits: { cpu: "2000m" } });
  expect(actuated.containers.b).toEqual(before.containers.b);
});

test("resizePod: a failure leaves the rest for later", async () => {
  const fail = (step: string) => (step.startsWith("a: ") ? new Error("busy") : undefined);
  const { steps, error, actuated } = await resized({ ...growing, fail });
  expect([steps, error]).toEqual([["pod: cpuQuota 300000", "pod: cpuShares 3000"], "busy"]);
  expect(actuated).toEqual(before);
});

test("resizePod: a runtime that does not know of pods' limits does not matter", async () => {
  const unimplemented = new RuntimeError("Unimplemented", "no");
  const ignored = (step: string) => (step === "notify" ? unimplemented : undefined);
  expect((await resized({ ...growing, fail: ignored })).error).toBeUndefined();
  const refuse = (step: string) => (step === "notify" ? new Error("no") : undefined);
  expect((await resized({ ...growing, fail: refuse })).error).toBe(
    "failed to notify runtime for UpdatePodSandboxResources (resource=cpu); resize rejected: no",
  );
});

test("resizePod: memory that is in use cannot be taken away", async () => {
  expect((await resized({ ...shrinking, usedBytes: 2 * gibibyte })).error).toBe(
    `cannot decrease memory limits: attempting to set container "a" memory limit (${gibibyte}) below current usage (${2 * gibibyte})`,
  );
  expect((await resized({ ...shrinking, usedBytes: 3 * gibibyte })).error).toBe(
    `cannot decrease memory limits: [attempting to set pod memory limit (${3 * gibibyte}) below current usage (${3 * gibibyte}), attempting to set container "a" memory limit (${gibibyte}) below current usage (${3 * gibibyte})]`,
  );
  expect((await resized({ ...shrinking, usedBytes: 100 })).error).toBeUndefined();
});

test("resizePod: a container that starts with more makes its pod grow first", async () => {
  const pod = podWith(resources(1000, 2), resources(2000, 2));
  const { steps } = await resized({ ...growing, pod, starting: ["b"] });
  expect(steps.slice(0, 2)).toEqual(["pod: cpuQuota 300000", "pod: cpuShares 3000"]);
});
