import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { daemonPod, daemonTolerations, isUpdated, targetNode } from "./daemon-pod.ts";
import { daemonSetWith, podWith } from "./daemon-sets.test-support.ts";

const affinityTo = (name: string): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [
      { matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] },
    ],
  },
});

test("daemonPod: has the labels of its revision, and an affinity to its node", () => {
  const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 1, preference: {} }];
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
  };
  const owner = daemonSetWith({}, { affinity: { nodeAffinity, podAffinity: {} } });
  const { metadata, spec } = daemonPod(owner, "n1", "abc");
  expect(metadata.labels).toEqual({
    app: "d",
    "pod-template-generation": "2",
    "controller-revision-hash": "abc",
  });
  expect(spec.affinity).toEqual({
    podAffinity: {},
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution, ...affinityTo("n1") },
  });
});

test("daemonTolerations: those of the template come first, and are replaced where they end", () => {
  const own = { key: "own", operator: "Exists" } as const;
  const notReady = {
    key: "node.kubernetes.io/not-ready",
    operator: "Exists",
    effect: "NoExecute",
  } as const;
  const tolerations = [{ ...notReady, tolerationSeconds: 300 }, own];
  const all = daemonTolerations({ tolerations } as never);
  expect(all.slice(0, 2)).toEqual([notReady, own]);
  expect(all.slice(2).map(({ key }) => key)).toEqual([
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unschedulable",
  ]);
});

test.each<[string, object, string | undefined]>([
  ["the node that it has", { nodeName: "n1", affinity: { nodeAffinity: affinityTo("n2") } }, "n1"],
  ["the node of its affinity", { affinity: { nodeAffinity: affinityTo("n2") } }, "n2"],
  ["none", {}, undefined],
])("targetNode: %s", (_, spec, node) => {
  expect(targetNode({ spec } as unknown as Pod)).toBe(node);
});

test.each<[string, object, boolean]>([
  ["the hash of the revision", { "controller-revision-hash": "new" }, true],
  ["the generation of the template", { "pod-template-generation": "2" }, true],
  ["another hash", { "controller-revision-hash": "old", "pod-template-generation": "1" }, false],
])("isUpdated: %s", (_, labels, expected) => {
  const pod = { ...podWith("a"), metadata: { labels } } as Pod;
  expect(isUpdated(pod, daemonSetWith(), "new")).toBe(expected);
});
