import { expect, test } from "vitest";
import { aNode, aNodeInfo, aPodInfo } from "./framework.test-support.ts";

const antiAffinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", labelSelector: {} }],
  },
};

test("NodeInfo: adds and subtracts the requests of pods", () => {
  const info = aNodeInfo("n");
  const pod = aPodInfo("p", {
    requests: { cpu: "1", memory: "1Gi", "example.com/gpu": "2" },
    spec: {
      affinity: antiAffinity,
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  const before = info.generation;
  info.addPod(pod);
  expect(info.generation).toBeGreaterThan(before);
  expect(info.requested).toMatchObject({ milliCpu: 1000, memory: 2 ** 30 });
  expect(info.requested.of("example.com/gpu")).toBe(2);
  expect(info.podsWithRequiredAntiAffinity).toHaveLength(1);
  expect(info.claims.get("default/data")).toBe(1);
  const copy = info.clone();
  expect(info.removePod("p")).toBe(true);
  expect(info.removePod("p")).toBe(false);
  expect(info).toMatchObject({ pods: [], podsWithAffinity: [], podsWithRequiredAntiAffinity: [] });
  expect(info.requested.milliCpu).toBe(0);
  expect(info.claims.size).toBe(0);
  expect(copy.pods).toEqual([pod]);
  expect(copy.requested.milliCpu).toBe(1000);
});

test("NodeInfo: derived numbers are cleared when pods change", () => {
  const info = aNodeInfo("n");
  info.remember(1, 7);
  expect(info.counted(1)).toBe(7);
  expect(info.clone().counted(1)).toBeUndefined();
  info.addPod(aPodInfo("p"));
  expect(info.counted(1)).toBeUndefined();
});

test("NodeInfo: an updated node has its new allocatable resources", () => {
  const info = aNodeInfo("n");
  expect(info.allocatable).toMatchObject({ milliCpu: 4000, allowedPods: 110 });
  info.setNode(aNode("n", { allocatable: { cpu: "8" } }));
  expect(info.allocatable.milliCpu).toBe(8000);
});

test("NodeInfo: groups similar pods, without terminating ones", () => {
  const info = aNodeInfo("n");
  const labels = { app: "web" };
  for (const name of ["a", "b"]) info.addPod(aPodInfo(name, { labels }));
  const going = { labels, deletionTimestamp: "2026-01-01T00:00:00Z" };
  info.addPod(aPodInfo("c", going));
  info.addPod(aPodInfo("d"));
  const copy = info.clone();
  for (const uid of ["a", "c", "d"]) info.removePod(uid);
  expect([...info.similarPods]).toEqual([{ namespace: "default", labels, count: 1 }]);
  expect([...copy.similarPods].map(({ count }) => count)).toEqual([2, 1]);
});
