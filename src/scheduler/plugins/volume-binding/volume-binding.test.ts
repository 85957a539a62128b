import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { actions, nodeResource } from "../../framework/cluster-event.ts";
import {
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
} from "../../framework/framework.test-support.ts";
import { volumeBinding } from "./volume-binding.ts";

const completed = { "pv.kubernetes.io/bind-completed": "yes" };
const selectedNode = "volume.kubernetes.io/selected-node";

const claim = (
  name: string,
  spec: object = {},
  more: { status?: object; metadata?: object } = {},
) => ({
  metadata: { name, namespace: "default", uid: name, ...more.metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } }, ...spec },
  status: { phase: "Pending", ...more.status },
});
const bound = (name: string, volumeName: string) =>
  claim(name, { volumeName }, { metadata: { annotations: completed } });
const delayed = (name: string, storageClassName: string, storage = "5Gi") =>
  claim(name, { storageClassName, resources: { requests: { storage } } });

const zone = "topology.kubernetes.io/zone";
const inZone = (name: string) => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: "In", values: [name] }] }],
  },
});
const volume = (name: string, storageClassName: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName,
    ...spec,
  },
  status: { phase: "Available" },
});
const storageClass = (name: string, more: object = {}) => ({
  metadata: { name },
  provisioner: "csi.example.com",
  volumeBindingMode: "WaitForFirstConsumer",
  ...more,
});
const room = (storageClassName: string, name: string, limits: object) => ({
  metadata: { name: `${storageClassName}-${name}` },
  storageClassName,
  nodeTopology: { matchLabels: { [zone]: name } },
  ...limits,
});

const known = {
  PersistentVolumeClaim: [
    bound("anywhere", "anywhere"),
    bound("in-a", "in-a"),
    bound("gone", "gone"),
    claim("half", { volumeName: "anywhere" }),
    claim("immediate", { storageClassName: "immediate" }),
    claim("classless"),
    claim("lost", { volumeName: "x" }, { status: { phase: "Lost" } }),
    claim("going", {}, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    delayed("static", "static"),
    delayed("large", "static", "20Gi"),
    delayed("small", "static", "1Gi"),
    delayed("provisioned", "dynamic"),
    delayed("zonal", "zonal"),
    delayed("limited", "limited"),
    delayed("too-large", "limited", "50Gi"),
    claim(
      "chosen",
      { storageClassName: "dynamic" },
      { metadata: { annotations: { [selectedNode]: "b" } } },
    ),
    claim("p-scratch", { storageClassName: "dynamic" }),
  ],
  PersistentVolume: [
    volume("anywhere", ""),
    volume("in-a", "", { nodeAffinity: inZone("a") }),
    volume("static-a", "static", { nodeAffinity: inZone("a") }),
    volume("static-b", "static", { capacity: { storage: "2Gi" }, nodeAffinity: inZone("b") }),
  ],
  StorageClass: [
    storageClass("immediate", { volumeBindingMode: "Immediate" }),
    storageClass("static", { provisioner: "kubernetes.io/no-provisioner" }),
    storageClass("dynamic"),
    storageClass("zonal", {
      allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ["b"] }] }],
    }),
    storageClass("limited", { provisioner: "limited.example.com" }),
  ],
  CSIDriver: [{ metadata: { name: "limited.example.com" }, spec: { storageCapacity: true } }],
  CSIStorageCapacity: [
    room("limited", "a", { capacity: "100Gi", maximumVolumeSize: "10Gi" }),
    room("limited", "b", { capacity: "1Gi" }),
    room("other", "b", { capacity: "100Gi" }),
  ],
};
const nodes = [
  aNodeInfo("a", { labels: { [zone]: "a" } }),
  aNodeInfo("b", { labels: { [zone]: "b" } }),
];

const using = (...claims: readonly string[]): PodParts => ({
  spec: {
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  },
});
const scratch: PodParts = {
  spec: { volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } }] },
};

const unreachable = "node(s) didn't match PersistentVolume's node affinity";
const unmatched = "node(s) didn't find available persistent volumes to bind";
const full = "node(s) did not have enough free storage";
const missing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const immediate = "pod has unbound immediate PersistentVolumeClaims";

each<[what: string, parts: PodParts, expected: string | readonly string[]]>([
  ["no claim", { spec: { volumes: [{ name: "v", emptyDir: {} }] } }, "Skip"],
  ["a claim that does not exist", using("none"), 'persistentvolumeclaim "none" not found'],
  [
    "a claim of its own that does not exist",
    { ...scratch, name: "q" } as PodParts,
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "q-scratch"',
  ],
  [
    "a claim of its own that is another's",
    scratch,
    "PVC default/p-scratch was not created for pod default/p (pod is not owner)",
  ],
  [
    "a claim whose volume is gone for ever",
    using("lost"),
    'persistentvolumeclaim "lost" bound to non-existent persistentvolume "x"',
  ],
  [
    "a claim that is being deleted",
    using("going"),
    'persistentvolumeclaim "going" is being deleted',
  ],
  ["a claim that the controller is to bind", using("immediate"), immediate],
  ["a claim without a class", using("classless"), immediate],
  ["a claim whose binding is not complete", using("half"), immediate],
  ["one such claim among others", using("anywhere", "provisioned", "immediate"), immediate],
  ["a volume that all nodes reach", using("anywhere"), ["", ""]],
  ["a volume of one zone", using("in-a"), ["", unreachable]],
  ["a volume that does not exist", using("gone"), [missing, missing]],
  ["a claim for the volumes that exist", using("static"), ["", unmatched]],
  ["a claim that no volume is large enough for", using("large"), [unmatched, unmatched]],
  [
    "two claims of different sizes, and one volume each",
    using("static", "small"),
    [unmatched, unmatched],
  ],
  ["a small claim", using("small"), ["", ""]],
  ["a claim that is provisioned", using("provisioned"), ["", ""]],
  ["a claim that is provisioned in one zone", using("zonal"), [unmatched, ""]],
  ["a claim for which there is room in one zone", using("limited"), ["", full]],
  ["a claim for which there is room nowhere", using("too-large"), [full, full]],
  ["a claim whose node is chosen", using("chosen"), [unmatched, ""]],
  ["several reasons", using("in-a", "static"), ["", `${unreachable}, ${unmatched}`]],
])("VolumeBinding: a pod with %s", (_, parts, expected) => {
  const { name = "p" } = parts as { readonly name?: string };
  const plugin = pluginOf(volumeBinding, nodes, { args: {}, known });
  expect(filtered(plugin, aPodInfo(name, parts), nodes)).toEqual(expected);
});

test("VolumeBinding: what may let a pod be scheduled requeues it, other changes do not", () => {
  const plugin = pluginOf(volumeBinding, [], { args: {} });
  const pod = aPod("p", using("provisioned"));
  const hint = (resource: string, now: object, old?: object) =>
    hinted(plugin, pod, {
      resource,
      action: old ? actions.update : actions.add,
      now,
      ...(old && { old }),
    });
  expect(hint("PersistentVolumeClaim", delayed("provisioned", "dynamic"))).toBe("Queue");
  expect(hint("PersistentVolumeClaim", delayed("other", "dynamic"))).toBe("QueueSkip");
  expect(hint("PersistentVolume", volume("v", "static"))).toBe("Queue");
  const [old, zonal] = [storageClass("dynamic"), known.StorageClass[3] as object];
  expect(hint("storage.k8s.io/StorageClass", old)).toBe("Queue");
  expect(hint("storage.k8s.io/StorageClass", { ...old, reclaimPolicy: "Retain" }, old)).toBe(
    "QueueSkip",
  );
  expect(hint("storage.k8s.io/StorageClass", zonal, old)).toBe("Queue");
  const capacity = (quantity: string) => room("limited", "a", { capacity: quantity });
  const capacities = "storage.k8s.io/CSIStorageCapacity";
  expect(hint(capacities, capacity("1Gi"))).toBe("Queue");
  expect(hint(capacities, capacity("2Gi"), capacity("1Gi"))).toBe("Queue");
  expect(hint(capacities, capacity("1Gi"), capacity("2Gi"))).toBe("QueueSkip");
  expect(hint(nodeResource, {})).toBe("Queue");
});
