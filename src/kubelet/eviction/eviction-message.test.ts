import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podWith, usageWith } from "./eviction.test-support.ts";
import { evictionMessage } from "./eviction-message.ts";
import { exceededStorageLimit, hasStorageLimit } from "./local-storage-limits.ts";
import { parseThresholds } from "./parse-thresholds.ts";
import type { PodUsage } from "./pod-usage.ts";
import type { StarvedResource } from "./signal.ts";

const thresholds = parseThresholds({
  evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%", "pid.available": "10%" },
});
const observations = new Map([
  ["memory.available", { available: 92_098_560, capacity: 2 ** 33, at: 0 }],
  ["nodefs.available", { available: 1024, capacity: 2 ** 30, at: 0 }],
  ["pid.available", { available: 12, capacity: 1000, at: 0 }],
] as const);

each<[StarvedResource, Pod, PodUsage | undefined, string, object]>([
  [
    "memory",
    podWith("p", {}, { resources: { requests: { memory: "10Mi" } } }),
    usageWith({ memory: 20 }),
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 89940Ki. Container c was using 20Mi, request is 10Mi, has larger consumption of memory. ",
    {
      offending_containers: "c",
      offending_containers_usage: "20Mi",
      starved_resource: "memory",
    },
  ],
  [
    "memory",
    podWith("p"),
    usageWith({ memory: 20 }),
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 89940Ki. Container c was using 20Mi, request is 0, has larger consumption of memory. ",
    { offending_containers: "c", offending_containers_usage: "20Mi", starved_resource: "memory" },
  ],
  [
    "memory",
    podWith(
      "p",
      { resources: { requests: { memory: "64Mi" } } },
      { resources: { requests: { memory: "50Mi" } } },
    ),
    usageWith({ memory: 20 }),
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 89940Ki. Pod p was using 20Mi, request is 64Mi, has larger consumption of memory. ",
    {
      offending_pod: "p",
      offending_pod_usage: "20Mi",
      offending_containers: "",
      offending_containers_usage: "",
      starved_resource: "memory",
    },
  ],
  [
    "ephemeral-storage",
    podWith("p"),
    usageWith({ root: 3, logs: 2 }),
    "The node was low on resource: ephemeral-storage. Threshold quantity: 107374184, available: 1Ki. Container c was using 5Mi, request is 0, has larger consumption of ephemeral-storage. ",
    {
      offending_containers: "c",
      offending_containers_usage: "5Mi",
      starved_resource: "ephemeral-storage",
    },
  ],
  [
    "pids",
    podWith("p"),
    usageWith({ processes: 9 }),
    "The node was low on resource: pids. Threshold quantity: 100, available: 12. ",
    { offending_containers: "", offending_containers_usage: "", starved_resource: "pids" },
  ],
  ["inodes", podWith("p"), undefined, "The node was low on resource: inodes. ", {}],
])("evictionMessage: %s", (resource, pod, usage, message, annotations) => {
  expect(evictionMessage({ resource, pod, usage, thresholds, observations })).toEqual({
    message,
    annotations,
  });
});

const volumes = [{ name: "v", emptyDir: { sizeLimit: "10Mi" } }];
const limits = { "ephemeral-storage": "10Mi" };

each<[string, Pod, PodUsage, "single" | "images", string | undefined]>([
  ["no limits", podWith("p"), usageWith({ root: 900 }), "single", undefined],
  [
    "a small volume",
    podWith("p", { volumes }),
    usageWith({ volumes: { v: 10 } }),
    "single",
    undefined,
  ],
  [
    "a large volume",
    podWith("p", { volumes }),
    usageWith({ volumes: { v: 11 } }),
    "single",
    'Usage of EmptyDir volume "v" exceeds the limit "10Mi". ',
  ],
  [
    "a large volume in memory",
    podWith("p", { volumes: [{ name: "v", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }] }),
    usageWith({ volumes: { v: 2 } }),
    "single",
    'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
  ],
  [
    "a pod",
    podWith("p", { volumes: [{ name: "v", emptyDir: {} }] }, { resources: { limits } }),
    usageWith({ volumes: { v: 8 }, logs: 2, root: 1 }),
    "single",
    "Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ",
  ],
  [
    "a container of two",
    podWith("p", {
      containers: [
        { name: "c", resources: { limits } },
        { name: "d", resources: { limits: { "ephemeral-storage": "1Gi" } } },
      ],
    }),
    usageWith({ logs: 6, root: 6 }),
    "single",
    'Container c exceeded its local ephemeral storage limit "10Mi". ',
  ],
  [
    "a container of two, with root file systems elsewhere",
    podWith("p", {
      containers: [
        { name: "c", resources: { limits } },
        { name: "d", resources: { limits: { "ephemeral-storage": "1Gi" } } },
      ],
    }),
    usageWith({ logs: 6, root: 6 }),
    "images",
    undefined,
  ],
])("exceededStorageLimit: %s", (_, pod, usage, layout, message) => {
  expect(exceededStorageLimit(pod, usage, layout)?.message).toBe(message);
  if (message !== undefined) expect(hasStorageLimit(pod)).toBe(true);
});
