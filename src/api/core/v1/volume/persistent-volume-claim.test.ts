import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../../recorded.test-support.ts";
import { read, statusErrors, updateErrors } from "../../../storage/storage-object.test-support.ts";
import { write } from "../../../write.test-support.ts";
import { PersistentVolumeClaim } from "./persistent-volume-claim.ts";

// Admission adds a finalizer.
for (const recorded of recordedCases("persistentvolumeclaims"))
  test(`PersistentVolumeClaim: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(PersistentVolumeClaim as never, recorded, { without: ["metadata.finalizers"] });
  });

interface More {
  readonly annotations?: object;
  readonly status?: object;
}
const claim = (spec: object, { annotations = {}, status = {} }: More = {}) => ({
  metadata: { annotations },
  spec: { accessModes: ["ReadWriteOnce"], ...sized("2Gi"), ...spec },
  status,
});
const sized = (storage: string) => ({ resources: { requests: { storage } } });
const bound = { status: { phase: "Bound", capacity: { storage: "1Gi" } } };
const classAnnotation = "volume.beta.kubernetes.io/storage-class";
const annotated = (name: string) => ({ annotations: { [classAnnotation]: name } });
const oddSource = { apiGroup: "Odd!", kind: "K", name: "a" };
const hasClass = {
  status: { phase: "Bound", currentVolumeAttributesClassName: "gold" },
};
/** Of an error with a difference, the lines that tell it. */
const withoutContext = (error: string): string =>
  error
    .split("\n")
    .filter((line, i) => i === 0 || /^[-+]/.test(line))
    .join("\n");
const immutable =
  "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

each<[rule: string, claim: object, old: object, errors: readonly string[]]>([
  ["the volume is named once", claim({ volumeName: "v" }), claim({}), []],
  [
    "the volume is not named anew",
    claim({ volumeName: "w" }),
    claim({ volumeName: "v" }),
    [`${immutable}\n- "VolumeName": "v",\n+ "VolumeName": "w",`],
  ],
  ["a bound claim may ask for more", claim(sized("3Gi"), bound), claim({}, bound), []],
  [
    "a bound claim may ask for less again, while that is more than it has",
    claim(sized("1.5Gi"), bound),
    claim({}, bound),
    [],
  ],
  [
    "a claim never asks for less than it has",
    claim(sized("1Gi"), bound),
    claim({}, bound),
    ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
  ],
  ["the same amount in other words is no change", claim(sized("2048Mi")), claim({}), []],
  ["a class may be given where there was none", claim({ storageClassName: "c" }), claim({}), []],
  [
    "the class that was annotated may become the field",
    claim({ storageClassName: "c" }),
    claim({}, annotated("c")),
    [],
  ],
  [
    "the class that was annotated does not change on the way",
    claim({ storageClassName: "d" }, annotated("c")),
    claim({}, annotated("c")),
    [`${immutable}\n- "StorageClassName": null,\n+ "StorageClassName": "d",`],
  ],
  [
    "the annotation does not change",
    claim({}, annotated("d")),
    claim({}, annotated("c")),
    [`metadata.annotations.${classAnnotation}: Invalid value: "d": field is immutable`],
  ],
  [
    "the mode does not change",
    claim({ volumeMode: "Block" }),
    claim({}),
    [
      `${immutable}\n- "VolumeMode": "Filesystem",\n+ "VolumeMode": "Block",`,
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
  ],
  [
    "a class of attributes is for bound claims to change",
    claim({ volumeAttributesClassName: "gold" }),
    claim({}),
    [`${immutable}\n- "VolumeAttributesClassName": null\n+ "VolumeAttributesClassName": "gold"`],
  ],
  [
    "a class of attributes that was applied is not taken away",
    claim({}, hasClass),
    claim({ volumeAttributesClassName: "gold" }, hasClass),
    [
      "spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil",
    ],
  ],
  [
    "nor is it emptied",
    claim({ volumeAttributesClassName: "" }, hasClass),
    claim({ volumeAttributesClassName: "gold" }, hasClass),
    [
      "spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil",
    ],
  ],
  [
    "an odd group of a source stays where it was, and is named in both ways if the old one was not",
    claim({ dataSource: oddSource, dataSourceRef: oddSource }),
    claim({ dataSourceRef: oddSource }),
    [],
  ],
])("PersistentVolumeClaim: %s", (_, object, old, errors) => {
  const found = updateErrors(PersistentVolumeClaim, object, old);
  expect(found.map(withoutContext)).toEqual(errors);
});

each<[rule: string, status: object, errors: readonly string[]]>([
  [
    "resources that grow are storage, or someone else's",
    { allocatedResources: { storage: "1Gi", "example.com/x": "1", cpu: "1" } },
    ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
  ],
  [
    "an unknown state of growth is reported by the resource",
    { allocatedResourceStatuses: { storage: "Growing" } },
    [
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    ],
  ],
  [
    "amounts are not below zero",
    { capacity: { storage: "-1" }, allocatedResources: { storage: "-2" } },
    [
      "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
      "status.allocatedResources[storage]: Invalid value: -2: must be a valid resource quantity",
    ],
  ],
])("PersistentVolumeClaim: %s", (_, status, errors) => {
  expect(statusErrors(PersistentVolumeClaim, claim({}, { status }), claim({}))).toEqual(errors);
});

test("PersistentVolumeClaim: what was claimed is named in both ways, and the status is the server's", () => {
  const object = read(PersistentVolumeClaim, {
    ...claim({ dataSource: { kind: "PersistentVolumeClaim", name: "other" } }),
    status: { phase: "Lost" },
  });
  PersistentVolumeClaim.strategy.prepareCreate?.(object as never, write);
  expect([object.spec.dataSourceRef?.name, object.status]).toEqual(["other", { phase: "Pending" }]);
});
