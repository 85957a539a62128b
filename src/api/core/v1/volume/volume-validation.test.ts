import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import { At } from "../../../../schema/language/report.ts";
import { Volume } from "./volume.ts";
import { validateVolumes } from "./volume-validation.ts";

function read(input: object): Volume {
  const volume = normalise(Volume, input)?.value;
  if (!volume) throw new Error("not a volume");
  applyDefaults(Volume, volume);
  return volume;
}
function errorsOf(volumes: readonly object[], options = {}): readonly string[] {
  const at = At.root();
  validateVolumes(volumes.map(read), at.child("volumes"), options);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}
const modeRange = "must be a number between 0 and 0777 (octal), both inclusive";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

each<[rule: string, volumes: readonly object[], errors: readonly string[]]>([
  ["a volume without a source is an empty folder", [{ name: "a" }], []],
  ["a volume has a name", [{}], ["[0].name: Required value"]],
  ["a name is a DNS label", [{ name: "A" }], [`[0].name: Invalid value: "A": ${label}`]],
  ["names are unique", [{ name: "a" }, { name: "a" }], ['[1].name: Duplicate value: "a"']],
  [
    "a volume has one source: the first in upstream's order is looked into",
    [{ name: "a", cephfs: {}, downwardAPI: {}, hostPath: {} }],
    [
      "[0].hostPath.path: Required value",
      "[0].cephFS: Forbidden: may not specify more than 1 volume type",
      "[0].downwarAPI: Forbidden: may not specify more than 1 volume type",
    ],
  ],
  [
    "the limit of an empty folder is not negative",
    [{ name: "a", emptyDir: { sizeLimit: "-1" } }],
    ["[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
  ],
  [
    "a path of the node has no backsteps and a known type",
    [{ name: "a", hostPath: { path: "/a/../b", type: "Pipe" } }],
    [
      "[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
      '[0].hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    "a GCE disk is reported as upstream does",
    [{ name: "a", gcePersistentDisk: { partition: 256 } }],
    [
      "[0].persistentDisk.pdName: Required value",
      "[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
    ],
  ],
  [
    "files of a secret stay inside the volume",
    [
      {
        name: "a",
        secret: { defaultMode: 512, items: [{ key: "k", path: "..x", mode: -1 }, { path: "/x" }] },
      },
    ],
    [
      "[0].secret.secretName: Required value",
      `[0].secret.defaultMode: Invalid value: 512: ${modeRange}`,
      "[0].secret.items[0].path: Invalid value: \"..x\": must not start with '..'",
      `[0].secret.items[0].mode: Invalid value: -1: ${modeRange}`,
      "[0].secret.items[1].key: Required value",
      '[0].secret.items[1].path: Invalid value: "/x": must be a relative path',
    ],
  ],
  [
    "an NFS path is absolute",
    [{ name: "a", nfs: { server: "s", path: "p" } }],
    ['[0].nfs.path: Invalid value: "p": must be an absolute path'],
  ],
  [
    "names of iSCSI targets and initiators have their forms",
    [
      {
        name: "a",
        iscsi: {
          targetPortal: "p",
          iqn: "iqn.x",
          lun: 256,
          initiatorName: "x",
          chapAuthSession: true,
        },
      },
    ],
    [
      '[0].iscsi.iqn: Invalid value: "iqn.x": must be valid format',
      "[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
      "[0].iscsi.secretRef: Required value",
      '[0].iscsi.initiatorname: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
    ],
  ],
  [
    "with an initiator, volume name and portal are short together",
    [
      {
        name: "a",
        iscsi: {
          targetPortal: "p".repeat(63),
          iqn: "eui.0123456789abcdef",
          lun: 0,
          initiatorName: "iqn.2001-04.com.example:storage",
        },
      },
    ],
    [
      '[0].name: Invalid value: "a": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ],
  ],
  [
    "a Fibre Channel volume is named in one way",
    [
      { name: "a", fc: {} },
      { name: "b", fc: { targetWWNs: ["w"], wwids: ["i"] } },
    ],
    [
      "[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both",
      '[1].fc.targetWWNs: Invalid value: ["w"]: targetWWNs and wwids can not be specified simultaneously',
      "[1].fc.lun: Required value: lun is required if targetWWNs is specified",
    ],
  ],
  [
    "options of a flex volume keep out of reserved namespaces",
    [{ name: "a", flexVolume: { driver: "d", options: { "x.K8s.io/a": "", "xk8s.io": "" } } }],
    [
      '[0].flexVolume.options[x.K8s.io/a]: Invalid value: "x.K8s.io/a": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    "a Quobyte registry is a list of hosts with ports",
    [{ name: "a", quobyte: { registry: "a:1,b", volume: "v" } }],
    [
      '[0].quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
    ],
  ],
  [
    "a Flocker dataset is named in one way",
    [{ name: "a", flocker: { datasetName: "a/b", datasetUUID: "u" } }],
    [
      '[0].flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      "[0].flocker.datasetName: Invalid value: \"a/b\": must not contain '/'",
    ],
  ],
  [
    "an Azure disk's address goes with its kind",
    [
      {
        name: "a",
        azureDisk: { diskName: "d", diskURI: "u", kind: "Managed", cachingMode: "All" },
      },
    ],
    [
      '[0].azureDisk.cachingMode: Unsupported value: "All": supported values: "None", "ReadOnly", "ReadWrite"',
      '[0].azureDisk.diskURI: Unsupported value: "u": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  ],
  [
    "a referenced secret has a name",
    [
      { name: "a", cinder: { volumeID: "v", secretRef: {} } },
      { name: "b", storageos: { volumeName: "v", secretRef: {} } },
      { name: "c", csi: { driver: "d", nodePublishSecretRef: {} } },
    ],
    [
      "[0].cinder.secretRef.name: Required value",
      "[1].storageos.secretRef.name: Required value",
      "[2].csi.nodePublishSecretRef.name: Required value",
    ],
  ],
  [
    "the name of a CSI driver is short, in any case of letters",
    [
      { name: "a", csi: { driver: "Driver.Example" } },
      { name: "b", csi: { driver: "d".repeat(64) } },
    ],
    ["[1].csi.driver: Too long: may not be more than 63 bytes"],
  ],
  [
    "a file of the downward API holds one thing, and is reported at the volume",
    [
      {
        name: "a",
        downwardAPI: {
          items: [
            { path: "a" },
            { path: "b", fieldRef: { fieldPath: "spec.nodeName" } },
            { path: "c", resourceFieldRef: { resource: "limits.cpu" } },
          ],
        },
      },
    ],
    [
      "[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
      '[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      "[0].downwardAPI.resourceFieldRef.containerName: Required value",
    ],
  ],
  [
    "projected files have paths of their own",
    [
      {
        name: "a",
        projected: {
          sources: [
            { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
            { secret: { name: "s", items: [{ key: "k", path: "p" }] }, configMap: { name: "d" } },
            { serviceAccountToken: { expirationSeconds: 1 } },
            { serviceAccountToken: { path: "../t" } },
          ],
        },
      },
    ],
    [
      '[0].projected: Invalid value: "s": conflicting duplicate paths',
      "[0].projected.sources[1]: Forbidden: may not specify more than 1 volume type per source",
      "[0].projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes",
      "[0].projected.path: Required value",
      "[0].projected.path: Invalid value: \"../t\": must not contain '..'",
    ],
  ],
  [
    "the template of an ephemeral claim has labels and annotations alone",
    [
      {
        name: "a",
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { name: "n", uid: "u", labels: { a: "b" } },
            spec: {
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1Gi" } },
            },
          },
        },
      },
      { name: "b", ephemeral: {} },
    ],
    [
      "[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
      "[0].ephemeral.volumeClaimTemplate.metadata.uID: Forbidden: cannot be set",
      "[1].ephemeral.volumeClaimTemplate: Required value",
    ],
  ],
  [
    "an image is pulled by a known policy",
    [{ name: "a", image: { pullPolicy: "Often" } }],
    [
      '[0].image.pullPolicy: Unsupported value: "Often": supported values: "Always", "IfNotPresent", "Never"',
    ],
  ],
])("validateVolumes: %s", (_, volumes, errors) => {
  expect(errorsOf(volumes)).toEqual(errors.map((error) => `volumes${error}`));
});

const ephemeral = {
  volumeClaimTemplate: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  },
};

test("validateVolumes: a pod names no claim that is made for it", () => {
  const volumes = [
    { name: "a", ephemeral },
    { name: "b", persistentVolumeClaim: { claimName: "pod-a" } },
  ];
  expect([errorsOf(volumes), errorsOf(volumes, { podName: "pod" })]).toEqual([
    [],
    [
      'volumes[1].persistentVolumeClaim.claimName: Invalid value: "pod-a": must not reference a PVC that gets created for an ephemeral volume',
    ],
  ]);
});

test("validateVolumes: the name of a claim that is made is not too long", () => {
  const podName = "p".repeat(253);
  expect(errorsOf([{ name: "a", ephemeral }], { podName })).toEqual([
    `volumes[0].name: Invalid value: "a": PVC name "${podName}-a": must be no more than 253 characters`,
  ]);
});

test("validateVolumes: the image of a pod's volume is named, that of a template need not be", () => {
  const volumes = [{ name: "a", image: {} }];
  expect([errorsOf(volumes), errorsOf(volumes, { resourceIsPod: true })]).toEqual([
    [],
    ["volumes[0].image.reference: Required value"],
  ]);
});

test("validateVolumes: a token's path that leads out passes where the stored object has one", () => {
  const sources = [{ serviceAccountToken: { path: "../t" } }];
  expect(
    errorsOf([{ name: "a", projected: { sources } }], { allowNonLocalProjectedTokenPath: true }),
  ).toEqual([]);
});

test("validateVolumes: mounts may refer to the valid volumes alone", () => {
  const volumes = [{ name: "a" }, { name: "b", nfs: {} }, { name: "c" }].map(read);
  expect([...validateVolumes(volumes, At.root(), {}).keys()]).toEqual(["a", "c"]);
});
