import { expect, test } from "vitest";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { existingPodWarnings } from "./existing-pods.ts";

const pod = (name: string, spec: object = {}, uid?: string) =>
  ({
    metadata: { name, ...(uid && { ownerReferences: [{ uid, controller: true }] }) },
    spec: { containers: [], ...spec },
  }) as unknown as Pod;
const baseline = { level: "baseline", version: "v1.30" } as const;
const header =
  'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:v1.30"';

test("existingPodWarnings: pods are counted by their violations", () => {
  const pods = [
    pod("fine"),
    pod("z", { hostPID: true }),
    pod("c", { volumes: [{ name: "v", hostPath: {} }] }),
    pod("b", { hostNetwork: true }),
    pod("a", { hostIPC: true, volumes: [{ name: "v", hostPath: {} }] }),
    pod("y", { hostIPC: true }),
    pod("d", { volumes: [{ name: "w", hostPath: {} }] }),
  ];
  expect(existingPodWarnings("n", baseline, pods)).toEqual([
    header,
    "a: host namespaces, hostPath volumes",
    "b (and 2 other pods): host namespaces",
    "c (and 1 other pod): hostPath volumes",
  ]);
});

test("existingPodWarnings: of many pods, those that are like others are left out", () => {
  const alike = Array.from({ length: 3000 }, (_, i) => pod(`p${i}`, {}, "owner"));
  const pods = [...alike, pod("last", { hostPID: true })];
  expect(existingPodWarnings("n", baseline, pods)).toEqual([
    "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
    header,
    "last: host namespaces",
  ]);
});

test("existingPodWarnings: there are none without violations", () => {
  expect(existingPodWarnings("n", baseline, [pod("a")])).toEqual([]);
});
