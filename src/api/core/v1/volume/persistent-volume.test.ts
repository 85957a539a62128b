import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../../recorded.test-support.ts";
import { createErrors, read, updateErrors } from "../../../storage/storage-object.test-support.ts";
import { write } from "../../../write.test-support.ts";
import { PersistentVolume } from "./persistent-volume.ts";

// Admission adds a finalizer.
for (const recorded of recordedCases("persistentvolumes"))
  test(`PersistentVolume: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(PersistentVolume as never, recorded, {
      without: ["metadata.finalizers", "status.lastPhaseTransitionTime"],
    });
  });

const volume = (spec: object, metadata: object = {}) => ({
  metadata,
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...spec },
});
const nfs = { nfs: { server: "s", path: "/" } };
const csi = { csi: { driver: "d.example.com", volumeHandle: "h" } };
const affinity = (key: string, value: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }],
    },
  },
});
const iqn = "iqn.2001-04.com.example:storage";
const iscsi = (more: object) => ({ iscsi: { targetPortal: "10.0.0.1", iqn, lun: 0, ...more } });
const mountOptions = { annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } };

each<[rule: string, volume: object, errors: readonly string[]]>([
  ["a source, a mode and a size are enough", volume(nfs), []],
  [
    "a flexible volume is not refused beside another source, and is looked into",
    volume({ ...nfs, flexVolume: { driver: "", options: { "x.k8s.io/a": "b" } } }),
    [
      "spec.flexVolume.driver: Required value",
      'spec.flexVolume.options[x.k8s.io/a]: Invalid value: "x.k8s.io/a": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    "a second source is refused by the name that upstream gives it",
    volume({ ...nfs, cephfs: { monitors: [] }, storageos: {}, ...csi }),
    [
      "spec.cephFS: Forbidden: may not specify more than 1 volume type",
      "spec.storageos: Forbidden: may not specify more than 1 volume type",
      "spec.csi: Forbidden: may not specify more than 1 volume type",
    ],
  ],
  [
    "a local volume says which nodes reach it",
    volume({ local: { path: "/a/../b" } }),
    [
      "spec.local.path: Invalid value: \"/a/../b\": must not contain '..'",
      "spec.nodeAffinity: Required value: Local volume requires node affinity",
    ],
  ],
  [
    "an affinity without conditions is none",
    volume({ ...nfs, nodeAffinity: {} }),
    ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
  ],
  [
    "the root is not recycled, whatever way leads there",
    volume({ hostPath: { path: "//./" }, persistentVolumeReclaimPolicy: "Recycle" }),
    [
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    "a size below zero is neither valid nor positive",
    volume({ ...nfs, capacity: { storage: "-1" } }),
    [
      "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
    ],
  ],
  [
    "the secrets of a CSI volume have a name and a namespace, but the one for staging is not looked at",
    volume({
      csi: {
        ...csi.csi,
        nodeStageSecretRef: {},
        nodeExpandSecretRef: { namespace: "n" },
        controllerExpandSecretRef: { name: "s" },
      },
    }),
    [
      "spec.csi.controllerExpandSecretRef.namespace: Required value",
      "spec.csi.nodeExpandSecretRef.name: Required value",
    ],
  ],
  [
    "a class of attributes is for CSI volumes, and has a name",
    volume({ ...nfs, volumeAttributesClassName: "" }),
    [
      "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
      "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
    ],
  ],
  [
    "an initiator of iSCSI has a form, and a portal that is not too long",
    volume(iscsi({ targetPortal: "p".repeat(63), initiatorName: "abc" })),
    [
      `spec.iscsi.targetportal: Invalid value: "${"p".repeat(63)}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
      'spec.iscsi.initiatorname: Invalid value: "abc": must be valid format',
    ],
  ],
  [
    "CHAP needs a secret",
    volume(iscsi({ chapAuthSession: true })),
    ["spec.iscsi.secretRef: Required value"],
  ],
  [
    "the secrets of OpenStack and StorageOS are named in full",
    volume({ cinder: { volumeID: "v", secretRef: { name: "s" } } }),
    ["spec.cinder.secretRef.namespace: Required value"],
  ],
  [
    "the Endpoints of Gluster are in a namespace",
    volume({ glusterfs: { endpoints: "e", path: "p", endpointsNamespace: "" } }),
    [
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
  ],
  [
    "the secret of an Azure share is in a namespace, if one is named",
    volume({ azureFile: { secretName: "s", shareName: "n", secretNamespace: "" } }),
    ["spec.azureFile.secretNamespace: Required value"],
  ],
  [
    "mount options by annotation are for sources that know them",
    volume({ hostPath: { path: "/a" } }, mountOptions),
    [
      "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type",
    ],
  ],
  ["NFS knows mount options by annotation", volume(nfs, mountOptions), []],
])("PersistentVolume: %s", (_, object, errors) => {
  expect(createErrors(PersistentVolume, object)).toEqual(errors);
});

const zone = "failure-domain.beta.kubernetes.io/zone";
const withExpandSecret = (secret: object | undefined) =>
  volume({ csi: { ...csi.csi, controllerExpandSecretRef: secret } });

each<[rule: string, volume: object, old: object, errors: readonly string[]]>([
  [
    "the secret for growing may be added",
    withExpandSecret({ name: "s", namespace: "n" }),
    withExpandSecret(undefined),
    [],
  ],
  [
    "the affinity may go over to the stable name of a label",
    volume({ ...nfs, ...affinity("topology.kubernetes.io/zone", "a") }),
    volume({ ...nfs, ...affinity(zone, "a") }),
    [],
  ],
  [
    "the affinity does not change otherwise",
    volume({ ...nfs, ...affinity(zone, "b") }),
    volume({ ...nfs, ...affinity(zone, "a") }),
    [
      `nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"${zone}","Operator":"In","Values":["b"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA`,
    ],
  ],
  [
    "a label of the affinity that is taken away is no change beside its absence",
    volume({ ...nfs, ...affinity("", "a") }),
    volume({ ...nfs, ...affinity("a", "a") }),
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  ["an affinity may be added", volume({ ...nfs, ...affinity(zone, "a") }), volume(nfs), []],
  [
    "values that no label can have stay where they were",
    volume({ ...nfs, ...affinity(zone, "not a value") }),
    volume({ ...nfs, ...affinity(zone, "not a value") }),
    [],
  ],
  [
    "a class of attributes is not taken away",
    volume(csi),
    volume({ ...csi, volumeAttributesClassName: "gold" }),
    ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
  ],
  [
    "sizes are compared by amount, and may change",
    volume({ ...nfs, capacity: { storage: "2048Mi" } }),
    volume(nfs),
    [],
  ],
])("PersistentVolume: %s", (_, object, old, errors) => {
  expect(updateErrors(PersistentVolume, object, old)).toEqual(errors);
});

test("PersistentVolume: a change of source is shown in the order and by the names of Go", () => {
  const [error] = updateErrors(
    PersistentVolume,
    volume(iscsi({ chapAuthDiscovery: true, secretRef: { name: "s" } })),
    volume(iscsi({ secretRef: { name: "s" } })),
  );
  expect(error?.split("\n").filter((line) => /^[-+]/.test(line))).toEqual([
    '-  "DiscoveryCHAPAuth": false,',
    '+  "DiscoveryCHAPAuth": true,',
  ]);
});

const then = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";
const now = "2026-01-03T00:00:00Z";

each<[rule: string, status: object, time: string]>([
  ["the time of the phase stays while the phase does", { phase: "Pending" }, then],
  ["a new phase gets the time", { phase: "Bound", lastPhaseTransitionTime: then }, now],
  ["a client may give the time itself", { phase: "Bound", lastPhaseTransitionTime: later }, later],
])("PersistentVolume: %s", (_, status, time) => {
  const old = read(PersistentVolume, {
    ...volume(nfs),
    status: { phase: "Pending", lastPhaseTransitionTime: then },
  });
  const object = read(PersistentVolume, { ...volume(csi), status });
  PersistentVolume.strategy.prepareStatusUpdate?.(object as never, old as never, { ...write, now });
  expect([object.spec, object.status.lastPhaseTransitionTime]).toEqual([old.spec, time]);
});

test("PersistentVolume: what is on its way out is told in upstream's order", () => {
  const object = read(
    PersistentVolume,
    volume(
      {
        ...affinity("beta.kubernetes.io/os", "linux"),
        persistentVolumeReclaimPolicy: "Recycle",
        rbd: { monitors: ["m"], image: "i" },
        storageos: {},
      },
      {
        annotations: {
          "volume.beta.kubernetes.io/storage-class": "c",
          ...mountOptions.annotations,
        },
      },
    ),
  );
  expect(PersistentVolume.strategy.warnings?.(object as never, undefined)).toEqual([
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
    "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
    "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
  ]);
});
