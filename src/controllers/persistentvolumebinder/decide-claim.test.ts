import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { decideClaim } from "./decide-claim.ts";

const volume = (name: string, spec: object = {}, { phase = "Available", labels = {} } = {}) =>
  ({
    metadata: { name, labels },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "m",
      ...spec,
    },
    status: { phase },
  }) as unknown as PersistentVolume;

const claim = (spec: object, annotations?: object) =>
  ({
    metadata: { namespace: "ns", name: "c", uid: "u", annotations },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "m",
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
    status: { phase: "Pending" },
  }) as unknown as PersistentVolumeClaim;

const reserved = { claimRef: { namespace: "ns", name: "c" } };
const waits = { volumeBindingMode: "WaitForFirstConsumer", provisioner: "p" };

each<
  [string, spec: object, volumes: readonly PersistentVolume[], expected: string, classOf?: object]
>([
  [
    "the smallest that fits",
    {},
    [
      volume("l", { capacity: { storage: "3Gi" } }),
      volume("m", { capacity: { storage: "2Gi" } }),
      volume("s", { capacity: { storage: "1Mi" } }),
    ],
    "m",
  ],
  ["of equal ones, the first by name", {}, [volume("b"), volume("a")], "a"],
  [
    "fewer access modes before a smaller size",
    {},
    [
      volume("many", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }),
      volume("few", { capacity: { storage: "9Gi" } }),
    ],
    "few",
  ],
  [
    "all access modes are needed",
    { accessModes: ["ReadWriteOnce", "ReadWriteMany"] },
    [volume("a")],
    "leave",
  ],
  [
    "the one that is reserved, whatever its class",
    {},
    [volume("a"), volume("z", { ...reserved, storageClassName: "x" })],
    "z",
  ],
  ["a reserved one even if a pod is waited for", {}, [volume("z", reserved)], "z", waits],
  ["none if a pod is waited for", {}, [volume("a")], "wait", waits],
  [
    "labels must match",
    { selector: { matchLabels: { a: "b" } } },
    [volume("a"), volume("b", {}, { labels: { a: "b" } })],
    "b",
  ],
  ["a released volume does not count", {}, [volume("a", {}, { phase: "Released" })], "leave"],
  [
    "block devices are no file systems",
    { volumeMode: "Block" },
    [volume("a", { volumeMode: "Filesystem" })],
    "leave",
  ],
  [
    "attributes classes must be equal",
    { volumeAttributesClassName: "gold" },
    [volume("a")],
    "leave",
  ],
])("decideClaim: %s", (_, spec, volumes, expected, classOf) => {
  const decision = decideClaim(claim(spec), {
    volumes,
    storageClass: classOf as StorageClass | undefined,
  });
  expect(decision.type === "bind" ? decision.volume.metadata.name : decision.type).toBe(expected);
});

const bound = { "pv.kubernetes.io/bind-completed": "yes" };
each<
  [string, spec: object, annotations: object, named: PersistentVolume | undefined, expected: object]
>([
  [
    "a named volume that is missing is waited for",
    { volumeName: "v" },
    {},
    undefined,
    { type: "wait" },
  ],
  [
    "a bound claim without a volume is lost",
    {},
    bound,
    undefined,
    {
      type: "lose",
      event: {
        note: "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
      },
    },
  ],
  [
    "a bound claim of a missing volume is lost",
    { volumeName: "v" },
    bound,
    undefined,
    { type: "lose", event: { reason: "ClaimLost" } },
  ],
  [
    "a bound claim of another claim's volume is lost",
    { volumeName: "v" },
    bound,
    volume("v", { claimRef: { uid: "x" } }),
    { type: "lose", event: { reason: "ClaimMisbound" } },
  ],
  [
    "a bound claim is bound again to a volume that forgot it",
    { volumeName: "v" },
    bound,
    volume("v"),
    { type: "bind" },
  ],
  [
    "a class that differs",
    { volumeName: "v", storageClassName: "x" },
    {},
    volume("v"),
    {
      type: "wait",
      event: {
        reason: "VolumeMismatch",
        note: 'Cannot bind to requested volume "v": storageClassName does not match',
      },
    },
  ],
  [
    "a mode that differs",
    { volumeName: "v", volumeMode: "Block" },
    {},
    volume("v"),
    {
      type: "wait",
      event: { note: 'Cannot bind to requested volume "v": incompatible volumeMode' },
    },
  ],
  [
    "access modes that differ",
    { volumeName: "v", accessModes: ["ReadWriteMany"] },
    {},
    volume("v"),
    {
      type: "wait",
      event: { note: 'Cannot bind to requested volume "v": incompatible accessMode' },
    },
  ],
  [
    "a controller's binding to another claim's volume fails",
    { volumeName: "v" },
    { "pv.kubernetes.io/bound-by-controller": "yes" },
    volume("v", { claimRef: { namespace: "ns", name: "o", uid: "x" } }),
    {
      type: "fail",
      message: 'invalid binding of claim "ns/c" to volume "v": volume already claimed by "ns/o"',
    },
  ],
])("decideClaim: %s", (_, spec, annotations, named, expected) => {
  expect(decideClaim(claim(spec, annotations), { volumes: [], named })).toMatchObject(expected);
});

each<[provisioner: string | undefined, expected: object]>([
  [
    undefined,
    {
      type: "leave",
      event: { reason: "ProvisioningFailed", note: 'storageclass.storage.k8s.io "m" not found' },
    },
  ],
  [
    "kubernetes.io/no-provisioner",
    {
      type: "leave",
      event: { note: "no volume plugin matched name: kubernetes.io/no-provisioner" },
    },
  ],
  ["kubernetes.io/gce-pd", { type: "provision", provisioner: "pd.csi.storage.gke.io" }],
  [
    "example.com/p",
    { type: "provision", provisioner: "example.com/p", event: { reason: "ExternalProvisioning" } },
  ],
])("decideClaim: provisioner %s", (provisioner, expected) => {
  const storageClass = provisioner ? ({ provisioner } as StorageClass) : undefined;
  expect(decideClaim(claim({}), { volumes: [], storageClass })).toMatchObject(expected);
});

each<[pods: readonly string[], note: string]>([
  [[], "waiting for first consumer to be created before binding"],
  [["a"], "waiting for pod a to be scheduled"],
  [["a", "b"], "waiting for pods a,b to be scheduled"],
])("decideClaim: with waiting pods %j, the event is: %s", (waitingPods, note) => {
  const storageClass = waits as StorageClass;
  const decision = decideClaim(claim({}), { volumes: [], storageClass, waitingPods });
  expect(decision).toMatchObject({ type: "wait", event: { note } });
});
