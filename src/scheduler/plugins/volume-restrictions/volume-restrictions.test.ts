import { expect, test } from "vitest";
import { actions, podResource } from "../../framework/cluster-event.ts";
import { CycleState } from "../../framework/cycle-state.ts";
import {
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
} from "../../framework/framework.test-support.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";

const withVolume = (volume: object, more: PodParts = {}): PodParts => ({
  ...more,
  spec: { volumes: [{ name: "data", ...volume }], nodeName: "n" },
});
const claimed = (claimName: string) => withVolume({ persistentVolumeClaim: { claimName } });
const noDisk = ["node(s) had no available disk"];
const rbd = { monitors: ["a", "b"], pool: "rbd", image: "i" };

test.each<[string, object, object, string | string[]]>([
  [
    "a disk of GCE that one pod writes",
    { gcePersistentDisk: { pdName: "d" } },
    { gcePersistentDisk: { pdName: "d", readOnly: true } },
    noDisk,
  ],
  [
    "a disk of GCE that all read",
    { gcePersistentDisk: { pdName: "d", readOnly: true } },
    { gcePersistentDisk: { pdName: "d", readOnly: true } },
    [""],
  ],
  [
    "another disk",
    { gcePersistentDisk: { pdName: "e" } },
    { gcePersistentDisk: { pdName: "d" } },
    [""],
  ],
  [
    "a disk of EBS, even if all read",
    { awsElasticBlockStore: { volumeID: "v", readOnly: true } },
    { awsElasticBlockStore: { volumeID: "v", readOnly: true } },
    noDisk,
  ],
  ["an iSCSI target", { iscsi: { iqn: "i" } }, { iscsi: { iqn: "i" } }, noDisk],
  [
    "an iSCSI target that all read",
    { iscsi: { iqn: "i", readOnly: true } },
    { iscsi: { iqn: "i", readOnly: true } },
    [""],
  ],
  ["an image of Ceph with a common monitor", { rbd }, { rbd: { ...rbd, monitors: ["b"] } }, noDisk],
  ["an image of Ceph elsewhere", { rbd }, { rbd: { ...rbd, monitors: ["c"] } }, [""]],
  ["an image of Ceph in another pool", { rbd }, { rbd: { ...rbd, pool: "other" } }, [""]],
  ["disks of two kinds", { iscsi: { iqn: "d" } }, { gcePersistentDisk: { pdName: "d" } }, [""]],
  ["a folder", { emptyDir: {} }, { emptyDir: {} }, "Skip"],
])("VolumeRestrictions: pods of a node with %s", (_, own, others, expected) => {
  const node = aNodeInfo("n", {}, [aPodInfo("other", withVolume(others))]);
  const plugin = pluginOf(volumeRestrictions);
  expect(filtered(plugin, aPodInfo("p", withVolume(own)), [node])).toEqual(expected);
});

const claim = (name: string, mode: string, namespace = "default") => ({
  metadata: { name, namespace },
  spec: { accessModes: [mode] },
});
const known = {
  PersistentVolumeClaim: [
    claim("one", "ReadWriteOncePod"),
    claim("many", "ReadWriteOnce"),
    claim("one", "ReadWriteOncePod", "other"),
  ],
};

test("VolumeRestrictions: a claim for one pod rules out all nodes while another pod uses it", () => {
  const nodes = [aNodeInfo("a", {}, [aPodInfo("holder", claimed("one"))]), aNodeInfo("b")];
  const plugin = pluginOf(volumeRestrictions, nodes, { known });
  const inUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";
  const of = (parts: PodParts) => filtered(plugin, aPodInfo("p", parts), nodes);
  expect(of(claimed("one"))).toEqual([inUse, inUse]);
  expect(of(claimed("many"))).toBe("Skip");
  expect(of({ ...claimed("one"), namespace: "other" })).toBe("Skip");
  expect(of(claimed("none"))).toBe('persistentvolumeclaim "none" not found');
});

test("VolumeRestrictions: evicting the holder of the claim helps, evicting another pod does not", () => {
  const holder = aPodInfo("holder", claimed("one"));
  const namesake = aPodInfo("namesake", { ...claimed("one"), namespace: "other" });
  const node = aNodeInfo("a", {}, [holder, namesake]);
  const plugin = pluginOf(volumeRestrictions, [node], { known });
  const pod = aPodInfo("p", claimed("one"));
  const state = new CycleState();
  plugin.preFilter?.(state, pod, [node]);
  const without = (other: typeof holder) => {
    const thought = state.clone();
    plugin.removePod?.(thought, pod, { other, node });
    return plugin.filter?.(thought, pod, node)?.code;
  };
  expect(without(namesake)).toBe("Unschedulable");
  expect(without(holder)).toBeUndefined();
  expect(plugin.filter?.(state, pod, node)?.code).toBe("Unschedulable");
});

test("VolumeRestrictions: only pods with the same volume and the claim itself requeue a pod", () => {
  const plugin = pluginOf(volumeRestrictions);
  const waiting = aPod("p", claimed("one"));
  const gone = (old: object) =>
    hinted(plugin, waiting, { resource: podResource, action: actions.delete, old });
  expect(gone(aPod("q", claimed("one")))).toBe("Queue");
  expect(gone(aPod("q", claimed("many")))).toBe("QueueSkip");
  expect(gone(aPod("q", { ...claimed("one"), namespace: "other" }))).toBe("QueueSkip");
  const made = (now: object) =>
    hinted(plugin, waiting, { resource: "PersistentVolumeClaim", action: actions.add, now });
  expect(made(claim("one", "ReadWriteOncePod"))).toBe("Queue");
  expect(made(claim("two", "ReadWriteOncePod"))).toBe("QueueSkip");
});
