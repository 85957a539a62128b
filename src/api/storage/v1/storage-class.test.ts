import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { createErrors, read, updateErrors } from "../storage-object.test-support.ts";
import { StorageClass } from "./storage-class.ts";

for (const recorded of recordedCases("storageclasses"))
  test(`StorageClass: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(StorageClass as never, recorded);
  });

const storageClass = (more: object = {}) => ({ provisioner: "example.com/p", ...more });
const term = (...expressions: readonly (readonly [key: string, ...values: string[]])[]) => ({
  matchLabelExpressions: expressions.map(([key, ...values]) => ({ key, values })),
});
const numbered = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));

each<[rule: string, storageClass: object, errors: readonly string[]]>([
  ["a provisioner is named in any case", storageClass({ provisioner: "Example.COM/P" }), []],
  ["a provisioner is named", {}, ["provisioner: Required value"]],
  [
    "a fault of the provisioner's name is told in lower case",
    storageClass({ provisioner: "A/B/C" }),
    [
      "provisioner: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  ],
  ["512 parameters are not too many", storageClass({ parameters: numbered(512) }), []],
  [
    "513 parameters are",
    storageClass({ parameters: numbered(513) }),
    ["parameters: Too long: may not be more than 512 bytes"],
  ],
  [
    "parameters are not too large, to the byte",
    storageClass({ parameters: { ö: "x".repeat(256 * 1024 - 1) } }),
    ["parameters: Too long: may not be more than 262144 bytes"],
  ],
  [
    "volumes of a class are not recycled",
    storageClass({ reclaimPolicy: "Recycle" }),
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  ["an empty policy passes", storageClass({ reclaimPolicy: "" }), []],
  [
    "an empty mode of binding does not",
    storageClass({ volumeBindingMode: "" }),
    [
      'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ],
  [
    "a term names each label and each value once",
    storageClass({ allowedTopologies: [term(["zone", "a", "a"], ["zone", "b"])] }),
    [
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"',
    ],
  ],
  [
    "two terms that ask for the same are one too many, in whatever order",
    storageClass({
      allowedTopologies: [term(["z", "a", "b"], ["r", "c"]), term(["r", "c"], ["z", "b", "a"])],
    }),
    ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    "a term that asks for nothing is refused once for each term",
    storageClass({ allowedTopologies: [term(["z", "a"]), {}] }),
    Array(2).fill('allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'),
  ],
])("StorageClass: %s", (_, object, errors) => {
  expect(createErrors(StorageClass, object)).toEqual(errors);
});

each<[rule: string, storageClass: object, old: object, errors: readonly string[]]>([
  [
    "parameters and modes do not change",
    storageClass({ parameters: { a: "c" }, volumeBindingMode: "WaitForFirstConsumer" }),
    storageClass({ parameters: { a: "b" } }),
    [
      'parameters: Invalid value: {"a":"c"}: field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ],
  [
    "parameters that are taken away are shown as none",
    storageClass(),
    storageClass({ parameters: { a: "b" } }),
    ["parameters: Invalid value: null: field is immutable"],
  ],
  ["empty parameters are none", storageClass({ parameters: {} }), storageClass(), []],
  [
    "expansion, mount options and topologies may change",
    storageClass({ allowVolumeExpansion: true, mountOptions: ["ro"] }),
    storageClass({ allowedTopologies: [term(["zone", "a"])] }),
    [],
  ],
])("StorageClass: %s", (_, object, old, errors) => {
  expect(updateErrors(StorageClass, object, old)).toEqual(errors);
});

test("StorageClass: the default class says so in its name's column, by either annotation", () => {
  const names = ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"].map((domain) =>
    read(
      StorageClass,
      storageClass({ metadata: { annotations: { [`${domain}/is-default-class`]: "true" } } }),
    ),
  );
  const [column] = StorageClass.columns;
  expect(names.map((object) => column?.cell(object as never, { now: 0 }))).toEqual([
    "a (default)",
    "a (default)",
  ]);
});

test("StorageClass: old labels of nodes are told", () => {
  const object = read(
    StorageClass,
    storageClass({
      allowedTopologies: [{}, term(["a", "b"], ["failure-domain.beta.kubernetes.io/zone", "z"])],
    }),
  );
  expect(StorageClass.strategy.warnings?.(object as never, undefined)).toEqual([
    'allowedTopologies[1].matchLabelExpressions[1].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ]);
});
