import { expect, test } from "vitest";
import { actions, podResource } from "../../framework/cluster-event.ts";
import {
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
} from "../../framework/framework.test-support.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";

const withClaims = (...names: string[]): PodParts => ({
  spec: {
    nodeName: "n",
    volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  },
});
const withVolume = (volume: object): PodParts => ({
  spec: { nodeName: "n", volumes: [{ name: "data", ...volume }] },
});
const claim = (name: string, spec: object) => ({ metadata: { name, namespace: "default" }, spec });
const volume = (name: string, spec: object, labels = {}) => ({ metadata: { name, labels }, spec });
const csi = (volumeHandle: string) => ({ csi: { driver: "d", volumeHandle } });
const csiNode = (drivers: readonly object[]) => ({ metadata: { name: "n" }, spec: { drivers } });
const limited = (name: string, count: number) => ({ name, allocatable: { count } });
const attachment = (persistentVolumeName: string, nodeName = "n") => ({
  metadata: { name: `a-${persistentVolumeName}` },
  spec: { attacher: "d", nodeName, source: { persistentVolumeName } },
});

const objects = {
  PersistentVolumeClaim: [
    claim("a", { volumeName: "va" }),
    claim("a-again", { volumeName: "va" }),
    claim("b", { volumeName: "vb" }),
    claim("c", { volumeName: "vc" }),
    claim("unbound", { storageClassName: "slow" }),
    claim("unknown", { storageClassName: "none" }),
    claim("nfs", { volumeName: "nfs" }),
    claim("gce", { volumeName: "gce" }),
  ],
  PersistentVolume: [
    volume("va", csi("1")),
    volume("vb", csi("2")),
    volume("vc", csi("3")),
    volume("nfs", { nfs: {} }),
    volume(
      "gce",
      { gcePersistentDisk: { pdName: "disk" } },
      { "topology.kubernetes.io/zone": "us-central1-a__us-central1-b" },
    ),
  ],
  StorageClass: [{ metadata: { name: "slow" }, provisioner: "d" }],
  CSINode: [csiNode([limited("d", 2), limited("ebs.csi.aws.com", 1)])],
};
const full = ["node(s) exceed max volume count"];

test.each<[string, PodParts, PodParts[], string | string[]]>([
  ["one volume more", withClaims("b"), [withClaims("a")], [""]],
  ["one volume too many", withClaims("c"), [withClaims("a", "b")], full],
  ["two volumes, one too many", withClaims("b", "c"), [withClaims("a")], full],
  ["a volume that another pod has", withClaims("a-again"), [withClaims("a", "b")], [""]],
  ["one volume by two claims", withClaims("a", "a-again"), [withClaims("b")], [""]],
  ["a volume to come", withClaims("unbound"), [withClaims("a", "b")], full],
  ["a claim of an unknown class", withClaims("unknown"), [withClaims("a", "b")], [""]],
  ["a volume without a driver", withClaims("nfs"), [withClaims("a", "b")], [""]],
  ["a volume of a driver without a limit", withClaims("gce"), [withClaims("a", "b")], [""]],
  [
    "a missing claim",
    withClaims("missing"),
    [],
    ['looking up PVC default/missing: persistentvolumeclaim "missing" not found'],
  ],
  ["a pod whose claim is gone", withClaims("b"), [withClaims("a", "missing")], [""]],
  [
    "a second disk of EBS",
    withVolume({ awsElasticBlockStore: { volumeID: "vol-1" } }),
    [withVolume({ awsElasticBlockStore: { volumeID: "aws://zone/vol-2" } })],
    full,
  ],
  [
    "the same disk of EBS",
    withVolume({ awsElasticBlockStore: { volumeID: "vol-1" } }),
    [withVolume({ awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } })],
    [""],
  ],
  ["a folder", withVolume({ emptyDir: {} }), [], "Skip"],
])("NodeVolumeLimits: a node with two places for %s", (_, own, others, expected) => {
  const node = aNodeInfo(
    "n",
    {},
    others.map((parts, i) => aPodInfo(`other${i}`, parts)),
  );
  const plugin = pluginOf(nodeVolumeLimits, [node], { known: objects });
  expect(filtered(plugin, aPodInfo("p", own), [node])).toEqual(expected);
});

test.each<[string, object[], string[]]>([
  ["the volume of a pod there", [attachment("va")], [""]],
  ["the volume of no pod", [attachment("vc")], full],
  ["a volume on another node", [attachment("vc", "m")], [""]],
  ["a volume that is gone", [attachment("gone")], [""]],
])("NodeVolumeLimits: attached to the node is %s", (_, attached, expected) => {
  const node = aNodeInfo("n", {}, [aPodInfo("other", withClaims("a"))]);
  const known = { ...objects, VolumeAttachment: attached };
  const plugin = pluginOf(nodeVolumeLimits, [node], { known });
  expect(filtered(plugin, aPodInfo("p", withClaims("b")), [node])).toEqual(expected);
});

test("NodeVolumeLimits: a node without CSINode has no limits", () => {
  const node = aNodeInfo("n", {}, [aPodInfo("other", withClaims("a", "b"))]);
  const plugin = pluginOf(nodeVolumeLimits, [node], { known: { ...objects, CSINode: [] } });
  expect(filtered(plugin, aPodInfo("p", withClaims("c")), [node])).toEqual([""]);
});

test("NodeVolumeLimits: a disk whose handle cannot be known fails the attempt", () => {
  const node = aNodeInfo("n");
  const plugin = pluginOf(nodeVolumeLimits, [node], { known: objects });
  const pod = aPodInfo("p", withVolume({ azureDisk: { kind: "Shared", diskURI: "u" } }));
  expect(() => filtered(plugin, pod, [node])).toThrow(
    "converting volume(data) from inline to csi: kind(Shared) is not supported in csi migration",
  );
});

test("NodeVolumeLimits: higher limits, volumes that go, and the pod's claims requeue it", () => {
  const plugin = pluginOf(nodeVolumeLimits);
  const waiting = aPod("p", withClaims("a"));
  const changed = (before: object[], after: object[]) =>
    hinted(plugin, waiting, {
      resource: "storage.k8s.io/CSINode",
      action: actions.update,
      old: csiNode(before),
      now: csiNode(after),
    });
  expect(changed([limited("d", 1)], [limited("d", 2)])).toBe("Queue");
  expect(changed([{ name: "d" }], [limited("d", 2)])).toBe("Queue");
  expect(changed([limited("d", 2)], [limited("d", 1)])).toBe("QueueSkip");
  expect(changed([], [{ name: "d" }])).toBe("QueueSkip");
  const gone = (resource: string, old: object, pod = waiting) =>
    hinted(plugin, pod, { resource, action: actions.delete, old });
  expect(gone(podResource, aPod("q", withClaims("b")))).toBe("Queue");
  expect(gone(podResource, aPod("q", withVolume({ emptyDir: {} })))).toBe("QueueSkip");
  expect(gone(podResource, aPod("q", { spec: { volumes: [] } }))).toBe("QueueSkip");
  const attached = "storage.k8s.io/VolumeAttachment";
  expect(gone(attached, attachment("va"))).toBe("Queue");
  expect(gone(attached, attachment("va"), aPod("q"))).toBe("QueueSkip");
});
