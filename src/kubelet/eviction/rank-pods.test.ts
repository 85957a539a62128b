import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podWith, usageWith } from "./eviction.test-support.ts";
import type { FilesystemLayout } from "./filesystem-layout.ts";
import type { PodUsage } from "./pod-usage.ts";
import { rankPods } from "./rank-pods.ts";
import type { Signal } from "./signal.ts";

const requesting = (name: string, requests: object, priority = 0): Pod =>
  podWith(name, { priority, volumes: [{ name: "v", emptyDir: {} }] }, { resources: { requests } });

/** Pods and their usages; the names are in the expected order. */
type Row = readonly (readonly [Pod, PodUsage | undefined])[];

each<[string, Signal, FilesystemLayout, Row]>([
  [
    "memory: unknown, above requests by priority and excess, then those below",
    "memory.available",
    "single",
    [
      [requesting("unknown", { memory: "1Gi" }, 9), undefined],
      [requesting("much", {}), usageWith({ memory: 100 })],
      [requesting("little", { memory: "90Mi" }), usageWith({ memory: 100 })],
      [requesting("important", {}, 5), usageWith({ memory: 900 })],
      [requesting("within", { memory: "1Gi" }), usageWith({ memory: 950 })],
      [requesting("well-within", { memory: "1Gi" }), usageWith({ memory: 5 })],
    ],
  ],
  [
    "disk of a single file system: all parts count",
    "nodefs.available",
    "single",
    [
      [requesting("volumes", {}), usageWith({ volumes: { v: 30 } })],
      [requesting("logs", {}), usageWith({ logs: 20 })],
      [requesting("root", {}), usageWith({ root: 10 })],
      [requesting("requested", { "ephemeral-storage": "1Gi" }), usageWith({ root: 500 })],
    ],
  ],
  [
    "disk of the node, with images elsewhere: logs and volumes count",
    "nodefs.available",
    "images",
    [
      [requesting("volumes", {}), usageWith({ volumes: { v: 30 } })],
      [requesting("root", {}), usageWith({ root: 90, logs: 1 })],
    ],
  ],
  [
    "disk of the images: root file systems count",
    "imagefs.available",
    "images",
    [
      [requesting("root", {}), usageWith({ root: 10 })],
      [requesting("volumes", {}), usageWith({ volumes: { v: 30 } })],
    ],
  ],
  [
    "inodes",
    "nodefs.inodesFree",
    "single",
    [
      [requesting("many", {}), usageWith({ root: 10, volumes: { v: 5 } })],
      [requesting("few", {}), usageWith({ root: 12 })],
    ],
  ],
  [
    "processes: by priority, then by their number",
    "pid.available",
    "single",
    [
      [requesting("unknown", {}), undefined],
      [requesting("many", {}), usageWith({ processes: 50 })],
      [requesting("few", {}), usageWith({ processes: 5 })],
      [requesting("important", {}, 1), usageWith({ processes: 500 })],
    ],
  ],
])("rankPods: %s", (_, signal, layout, rows) => {
  const usages = new Map(
    rows.flatMap(([{ metadata }, usage]) => (usage ? [[metadata.uid ?? "", usage] as const] : [])),
  );
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
  const pods = rows.map(([pod]) => pod);
  const reversed = [...pods].reverse();
  expect(names(rankPods(reversed, { signal, layout, usages }))).toEqual(names(pods));
});
