import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { write } from "../../write.test-support.ts";
import { createErrors, read, statusErrors, updateErrors } from "../storage-object.test-support.ts";
import { VolumeAttachment } from "./volume-attachment.ts";

for (const recorded of recordedCases("volumeattachments"))
  test(`VolumeAttachment: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(VolumeAttachment as never, recorded);
  });

const attachment = (source: object, more: object = {}) => ({
  spec: { attacher: "d.example.com", nodeName: "n", source },
  ...more,
});
const named = { persistentVolumeName: "pv" };
const csi = { driver: "d.example.com", volumeHandle: "h" };
const inline = (more: object) => ({
  inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], csi, ...more },
});
const either = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
const place = "spec.source.inlineVolumeSpec";

each<[rule: string, object: object, errors: readonly string[]]>([
  ["a volume is named", attachment(named), []],
  ["a volume stands inside", attachment(inline({})), []],
  ["one of both is asked for", attachment({}), [`spec.source: Required value: ${either}`]],
  [
    "both are too many",
    attachment({ ...named, ...inline({}) }),
    [`spec.source: Forbidden: ${either}`],
  ],
  [
    "an empty name is none, and no name",
    attachment({ persistentVolumeName: "" }),
    [
      "spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
      "spec.source.persistentVolumeName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    "a volume inside is nobody's, has no size, no place and no class",
    attachment(
      inline({
        claimRef: { name: "c" },
        capacity: { storage: "1Gi" },
        persistentVolumeReclaimPolicy: "Delete",
        nodeAffinity: {},
        storageClassName: "fast",
        volumeMode: "Block",
      }),
    ),
    [
      `${place}.claimRef: Forbidden: may not be specified in the context of inline volumes`,
      `${place}.capacity: Forbidden: may not be specified in the context of inline volumes`,
      `${place}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`,
      `${place}.nodeAffinity: Forbidden: may not be specified in the context of inline volumes`,
      `${place}.storageClassName: Forbidden: may not be specified in the context of inline volumes`,
      `${place}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
    ],
  ],
  [
    "a volume inside is one of a CSI driver",
    attachment(inline({ csi: undefined, nfs: { server: "s", path: "/" } })),
    [`${place}.csi: Required value: has to be specified in the context of inline volumes`],
  ],
  [
    "a class of attributes is not looked at inside",
    attachment(inline({ volumeAttributesClassName: "" })),
    [],
  ],
])("VolumeAttachment: %s", (_, object, errors) => {
  expect(createErrors(VolumeAttachment, object)).toEqual(errors);
});

test("VolumeAttachment: a volume inside has no policy and no mode of its own", () => {
  const { inlineVolumeSpec } = read(VolumeAttachment, attachment(inline({}))).spec.source;
  expect(inlineVolumeSpec).toEqual({ accessModes: ["ReadWriteOnce"], csi });
});

test("VolumeAttachment: what is attached does not change", () => {
  const other = attachment({ persistentVolumeName: "other" });
  expect(updateErrors(VolumeAttachment, other, attachment(named))).toEqual([
    'spec: Invalid value: {"Attacher":"d.example.com","Source":{"PersistentVolumeName":"other","InlineVolumeSpec":null},"NodeName":"n"}: field is immutable',
  ]);
});

each<[rule: string, status: object, errors: readonly string[]]>([
  ["a message of 1024 bytes is not too long", { attachError: { message: "x".repeat(1024) } }, []],
  [
    "a longer one is, though upstream names another limit",
    { attachError: { message: "x".repeat(1025) } },
    ["status.attachError.message: Too long: may not be more than 262144 bytes"],
  ],
  [
    "a code is not below zero",
    { detachError: { errorCode: -1 } },
    [
      "status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ],
  ],
  [
    "what the attacher tells is not too large",
    { attachmentMetadata: { a: "x".repeat(256 * 1024) } },
    ["status.attachmentMetadata: Too long: may not be more than 262144 bytes"],
  ],
])("VolumeAttachment: %s", (_, status, errors) => {
  const object = attachment(named, { status });
  expect(statusErrors(VolumeAttachment, object, attachment(named))).toEqual(errors);
});

test("VolumeAttachment: who writes the status writes nothing else", () => {
  const old = read(VolumeAttachment, attachment(named, { metadata: { labels: { a: "b" } } }));
  const object = read(
    VolumeAttachment,
    attachment({}, { metadata: { finalizers: ["example.com/f"] }, status: { attached: true } }),
  );
  VolumeAttachment.strategy.prepareStatusUpdate?.(object as never, old as never, write);
  expect([object.spec, object.metadata, object.status]).toEqual([
    old.spec,
    old.metadata,
    { attached: true },
  ]);
});
