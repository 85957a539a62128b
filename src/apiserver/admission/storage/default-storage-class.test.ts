import { expect, test } from "vitest";
import { openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admitted, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { defaultStorageClass } from "./default-storage-class.ts";

const marked = (creationTimestamp: string, annotation: string, value = "true") => ({
  metadata: { creationTimestamp, annotations: { [annotation]: value } },
});

const storageMark = "storageclass.kubernetes.io/is-default-class";
const betaMark = "storageclass.beta.kubernetes.io/is-default-class";
const [older, newer] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];

/** A claim after admission with these classes. */
async function claimed(
  classes: Record<string, object>,
  given: TestAttributes = {},
): Promise<unknown> {
  const parts = await openParts();
  const kind = kindAt("storage.k8s.io", "storageclasses");
  for (const [name, more] of Object.entries(classes))
    await write(parts, kind, name, { provisioner: "p", ...more });
  const plugin = defaultStorageClass(parts);
  return admitted(plugin, { kind: "PersistentVolumeClaim", ...given });
}

test.each([
  ["none", {}, {}],
  ["none that is marked", { a: {}, b: marked(newer, storageMark, "yes") }, {}],
  ["one", { a: marked(older, storageMark), b: {} }, { storageClassName: "a" }],
  ["one, as it was marked once", { a: marked(older, betaMark) }, { storageClassName: "a" }],
  [
    "several",
    { a: marked(older, storageMark), b: marked(newer, betaMark), c: marked(newer, storageMark) },
    { storageClassName: "b" },
  ],
])("defaultStorageClass: of %s", async (_, classes, wanted) => {
  expect(await claimed(classes)).toEqual(wanted);
});

test.each([
  ["names a class", { spec: { storageClassName: "x" } }],
  ["wants none", { spec: { storageClassName: "" } }],
  [
    "names a class in an annotation",
    { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "" } } },
  ],
  ["is there already", { operation: "UPDATE" }],
] as const)("defaultStorageClass: a claim that %s is left alone", async (_, given) => {
  const { spec = {} } = given as TestAttributes;
  expect(await claimed({ a: marked(older, storageMark) }, given)).toEqual(spec);
});
