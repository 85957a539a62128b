import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import { Volume } from "./volume.ts";

each<[rule: string, source: object, stored: object]>([
  ["no source is an empty folder", {}, { emptyDir: {} }],
  [
    "a path of the node may be anything",
    { hostPath: { path: "/" } },
    { hostPath: { path: "/", type: "" } },
  ],
  ["files are readable by all", { secret: {} }, { secret: { defaultMode: 0o644 } }],
  [
    "no permissions at all are permissions too",
    { configMap: { defaultMode: 0 } },
    { configMap: { defaultMode: 0 } },
  ],
  [
    "a path within the pod's version is one of v1",
    { downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] } },
    {
      downwardAPI: {
        items: [{ path: "p", fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } }],
        defaultMode: 0o644,
      },
    },
  ],
  [
    "a token is valid for an hour",
    { projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
    {
      projected: {
        sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: "t" } }],
        defaultMode: 0o644,
      },
    },
  ],
  [
    "an iSCSI volume uses the default interface",
    { iscsi: { targetPortal: "p", iqn: "i" } },
    { iscsi: { targetPortal: "p", iqn: "i", lun: 0, iscsiInterface: "default" } },
  ],
  [
    "a Ceph device is the admin's",
    { rbd: { monitors: ["m"], image: "i" } },
    {
      rbd: {
        monitors: ["m"],
        image: "i",
        pool: "rbd",
        user: "admin",
        keyring: "/etc/ceph/keyring",
      },
    },
  ],
  [
    "an Azure disk is shared, cached and formatted",
    { azureDisk: { diskName: "d", diskURI: "u" } },
    {
      azureDisk: {
        diskName: "d",
        diskURI: "u",
        cachingMode: "ReadWrite",
        fsType: "ext4",
        readOnly: false,
        kind: "Shared",
      },
    },
  ],
  [
    "a ScaleIO volume is thin, and its missing secret null",
    { scaleIO: { gateway: "g", system: "s" } },
    {
      scaleIO: {
        gateway: "g",
        system: "s",
        secretRef: null,
        storageMode: "ThinProvisioned",
        fsType: "xfs",
      },
    },
  ],
  [
    "a claim is for a file system, its storage rounded up to thousandths",
    {
      ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "1n" } } } } },
    },
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: {},
          spec: { resources: { requests: { storage: "1m" } }, volumeMode: "Filesystem" },
        },
      },
    },
  ],
  [
    "the image of no tag is pulled always",
    { image: { reference: "busybox" } },
    { image: { reference: "busybox", pullPolicy: "Always" } },
  ],
  [
    "an image with a tag is pulled once",
    { image: { reference: "busybox:1" } },
    { image: { reference: "busybox:1", pullPolicy: "IfNotPresent" } },
  ],
])("Volume: by default %s", (_, source, stored) => {
  const volume = normalise(Volume, { name: "v", ...source })?.value;
  applyDefaults(Volume, volume);
  expect(volume).toEqual({ name: "v", ...stored });
});
