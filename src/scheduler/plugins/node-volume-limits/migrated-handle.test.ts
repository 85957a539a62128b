import { expect, test } from "vitest";
import { migratedHandle } from "./migrated-handle.ts";

const zone = "topology.kubernetes.io/zone";
const gcePersistentDisk = { pdName: "d" };

test.each<[object, Record<string, string>, string | undefined]>([
  [{ awsElasticBlockStore: { volumeID: "vol-1" } }, {}, "vol-1"],
  [{ awsElasticBlockStore: { volumeID: "aws:///vol-1" } }, {}, "vol-1"],
  [{ azureDisk: { kind: "Managed", diskURI: "/subscriptions/1" } }, {}, "/subscriptions/1"],
  [{ cinder: { volumeID: "c" } }, {}, "c"],
  [{ portworxVolume: { volumeID: "p" } }, {}, "p"],
  [{ gcePersistentDisk }, {}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"],
  [
    { gcePersistentDisk },
    { [zone]: "us-east1-b" },
    "projects/UNSPECIFIED/zones/us-east1-b/disks/d",
  ],
  [
    { gcePersistentDisk },
    { [zone]: "us-east1-b__us-east1-c" },
    "projects/UNSPECIFIED/regions/us-east1/disks/d",
  ],
  [{ gcePersistentDisk }, { [zone]: "us-east1-b__us-west1-c" }, undefined],
])("migratedHandle: %o with labels %o is %s", (source, labels, expected) => {
  expect(migratedHandle(source as never, labels)).toBe(expected);
});

test("migratedHandle: a disk of EBS in another form has none", () => {
  expect(() =>
    migratedHandle({ awsElasticBlockStore: { volumeID: "aws://zone/disk" } } as never),
  ).toThrow("Invalid format for AWS volume (aws://zone/disk)");
});
