import { expect, test } from "vitest";
import { write } from "../../../write.test-support.ts";
import { podOf } from "./pod.test-support.ts";
import { Pod } from "./pod.ts";

const prepared = (given: Parameters<typeof podOf>[0]) => {
  const pod = podOf(given);
  Pod.strategy.prepareCreate?.(pod as never, write);
  return pod;
};

test("Pod, created: a status that a client gives is replaced", () => {
  const pod = prepared({ status: { phase: "Running", podIP: "192.0.2.1" } });
  expect([pod.metadata.generation, pod.status]).toEqual([
    1,
    { phase: "Pending", qosClass: "BestEffort" },
  ]);
});

test("Pod, created: the class that a client gives is kept", () => {
  const pod = prepared({ status: { qosClass: "Guaranteed" } });
  expect(pod.status).toEqual({ phase: "Pending", qosClass: "Guaranteed" });
});

test("Pod, created: a gated pod says why it is not scheduled", () => {
  const { status } = prepared({
    spec: { schedulingGates: [{ name: "a" }] },
  });
  expect(status.conditions).toEqual([
    {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: write.now,
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    },
  ]);
});

test("Pod, created: label keys are merged into selectors", () => {
  const { spec } = prepared({
    metadata: { labels: { a: "1" } },
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "z", labelSelector: {}, mismatchLabelKeys: ["a"] },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: { topologyKey: "z", labelSelector: {}, matchLabelKeys: ["a"] },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "z",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: {},
          matchLabelKeys: ["a"],
        },
      ],
    },
  });
  const merged = (operator: string) => ({
    matchExpressions: [{ key: "a", operator, values: ["1"] }],
  });
  expect([
    spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0]?.labelSelector,
    spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.[0]
      ?.podAffinityTerm.labelSelector,
    spec.topologySpreadConstraints?.[0]?.labelSelector,
  ]).toEqual([merged("NotIn"), merged("In"), merged("In")]);
});

const key = "container.apparmor.security.beta.kubernetes.io/c";

test.each([
  ["is put into the field", "localhost/x", {}, { type: "Localhost", localhostProfile: "x" }],
  ["that is unknown is not", "x", {}, undefined],
  [
    "that the pod has already is not",
    "unconfined",
    { securityContext: { appArmorProfile: { type: "Unconfined" } } },
    undefined,
  ],
  ["of a Windows pod is not", "unconfined", { os: { name: "windows" } }, undefined],
])("Pod, created: an AppArmor annotation %s", (_, annotation, spec, expected) => {
  const pod = prepared({ metadata: { annotations: { [key]: annotation } }, spec });
  expect(pod.spec.containers[0]?.securityContext?.appArmorProfile).toEqual(expected);
});

test("Pod status: only the status changes, and not all of it", () => {
  const old = podOf({
    metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }] },
    spec: { nodeName: "n" },
    status: {
      qosClass: "Burstable",
      observedGeneration: 2,
      conditions: [
        { type: "A", status: "True", observedGeneration: 1 },
        { type: "A", status: "True", observedGeneration: 2 },
        { type: "B", status: "True", observedGeneration: 3 },
      ],
    },
  });
  const pod = podOf({
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    status: {
      phase: "Running",
      conditions: [
        { type: "B", status: "True", observedGeneration: 4 },
        { type: "A", status: "True" },
        { type: "A", status: "True" },
      ],
    },
  });
  Pod.strategy.prepareStatusUpdate?.(pod as never, old as never, write);
  expect(pod.spec).toEqual(old.spec);
  expect(pod.metadata.ownerReferences).toEqual(old.metadata.ownerReferences);
  expect(pod.metadata.deletionTimestamp).toBe(undefined);
  const { phase, qosClass, observedGeneration, conditions } = pod.status;
  expect([phase, qosClass, observedGeneration]).toEqual(["Running", "Burstable", 2]);
  expect(conditions?.map((one) => [one.type, one.observedGeneration])).toEqual([
    ["B", 4],
    ["A", 1],
    ["A", 2],
  ]);
});
