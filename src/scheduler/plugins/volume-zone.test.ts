import { expect, test } from "vitest";
import { actions } from "../framework/cluster-event.ts";
import {
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  pluginOf,
} from "../framework/framework.test-support.ts";
import { volumeZone } from "./volume-zone.ts";

const withClaim = (claimName: string) => ({
  spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] },
});
const claim = (name: string, spec: object) => ({ metadata: { name, namespace: "default" }, spec });
const volume = (name: string, labels: object) => ({ metadata: { name, labels }, spec: {} });
const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";
const betaZone = "failure-domain.beta.kubernetes.io/zone";

const known = {
  PersistentVolumeClaim: [
    claim("bound", { volumeName: "in-a" }),
    claim("both", { volumeName: "in-both" }),
    claim("old", { volumeName: "beta" }),
    claim("odd", { volumeName: "odd" }),
    claim("plain", { volumeName: "plain" }),
    claim("gone", { volumeName: "gone" }),
    claim("delayed", { storageClassName: "delayed" }),
    claim("immediate", { storageClassName: "immediate" }),
    claim("modeless", { storageClassName: "modeless" }),
    claim("classless", {}),
    claim("unknown", { storageClassName: "unknown" }),
  ],
  PersistentVolume: [
    volume("in-a", { [zone]: "a", [region]: "r" }),
    volume("in-both", { [zone]: "a__b" }),
    volume("beta", { [betaZone]: "a" }),
    volume("odd", { [zone]: "a__" }),
    volume("plain", {}),
  ],
  StorageClass: [
    { metadata: { name: "delayed" }, volumeBindingMode: "WaitForFirstConsumer" },
    { metadata: { name: "immediate" }, volumeBindingMode: "Immediate" },
    { metadata: { name: "modeless" } },
  ],
};
const nodes = [
  aNodeInfo("a", { labels: { [zone]: "a", [region]: "r" } }),
  aNodeInfo("b", { labels: { [zone]: "b", [region]: "r" } }),
  aNodeInfo("nowhere"),
];
const elsewhere = "node(s) had no available volume zone";

test.each<[string, string | string[]]>([
  ["bound", ["", elsewhere, ""]],
  ["both", ["", "", ""]],
  ["old", ["", elsewhere, ""]],
  ["odd", "Skip"],
  ["plain", "Skip"],
  ["delayed", "Skip"],
  ["gone", 'persistentvolume "gone" not found'],
  ["missing", 'persistentvolumeclaim "missing" not found'],
  ["immediate", "PersistentVolume had no name"],
  ["modeless", 'VolumeBindingMode not set for StorageClass "modeless"'],
  ["classless", "PersistentVolumeClaim had no pv name and storageClass name"],
  ["unknown", 'storageclass.storage.k8s.io "unknown" not found'],
])("VolumeZone: nodes in zones a, b and none for the claim %s", (name, expected) => {
  const plugin = pluginOf(volumeZone, nodes, { known });
  expect(filtered(plugin, aPodInfo("p", withClaim(name)), nodes)).toEqual(expected);
});

test("VolumeZone: a node with a zone but no region does not reach a volume of a region", () => {
  const node = aNodeInfo("n", { labels: { [zone]: "a" } });
  const plugin = pluginOf(volumeZone, [node], { known });
  expect(filtered(plugin, aPodInfo("p", withClaim("bound")), [node])).toEqual([elsewhere]);
});

test("VolumeZone: only claims of the pod, delayed classes and moved volumes requeue it", () => {
  const plugin = pluginOf(volumeZone);
  const pod = aPod("p", withClaim("bound"));
  const hint = (resource: string, now: object, old?: object) =>
    hinted(plugin, pod, { resource, action: old ? actions.update : actions.add, now, old });
  expect(hint("PersistentVolumeClaim", claim("bound", {}))).toBe("Queue");
  expect(hint("PersistentVolumeClaim", claim("other", {}))).toBe("QueueSkip");
  const [delayed, immediate] = known.StorageClass;
  expect(hint("storage.k8s.io/StorageClass", delayed ?? {})).toBe("Queue");
  expect(hint("storage.k8s.io/StorageClass", immediate ?? {})).toBe("QueueSkip");
  const before = volume("v", { [zone]: "a__b" });
  expect(hint("PersistentVolume", before)).toBe("Queue");
  expect(hint("PersistentVolume", volume("v", { [zone]: "b__a" }), before)).toBe("QueueSkip");
  expect(hint("PersistentVolume", volume("v", { [zone]: "b" }), before)).toBe("Queue");
});
