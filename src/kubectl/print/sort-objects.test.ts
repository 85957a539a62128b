import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { tablePrinter } from "./print-flags.ts";
import { anyOptions, type Printed, printedText } from "./printed-text.test-support.ts";
import { WatchEvent } from "./printer.ts";
import { sortingPrinter } from "./sorting-printer.ts";

// The expected texts are what kubectl 1.36 prints.
const object0 = {
  apiVersion: "v1",
  kind: "List",
  metadata: {},
  items: [
    {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "n00" },
      spec: { n: 3, q: "1", s: "b", t: "2020-01-02T00:00:00Z", f: 1.5 },
    },
    {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "n01" },
      spec: { n: 1, q: "900m", s: "a", t: "2020-01-01T00:00:00Z", f: 0.5 },
    },
    { apiVersion: "v1", kind: "X", metadata: { name: "n02" }, spec: { n: 2, q: "2Ki", s: "c" } },
    { apiVersion: "v1", kind: "X", metadata: { name: "n03" }, spec: {} },
    {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "n04" },
      spec: { n: null, q: "1", s: "a", f: 0.5 },
    },
    { apiVersion: "v1", kind: "X", metadata: { name: "n05" }, spec: {} },
    {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "n06" },
      spec: { n: 10, q: "x", s: "B", f: 2.5 },
    },
  ],
};
const object1 = {
  kind: "Table",
  apiVersion: "meta.k8s.io/v1",
  metadata: {},
  columnDefinitions: [
    { name: "Name", type: "string", format: "name", description: "d", priority: 0 },
  ],
  rows: [
    {
      cells: ["n00"],
      object: {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "n00" },
        spec: { n: 3, q: "1", s: "b", t: "2020-01-02T00:00:00Z", f: 1.5 },
      },
    },
    {
      cells: ["n01"],
      object: {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "n01" },
        spec: { n: 1, q: "900m", s: "a", t: "2020-01-01T00:00:00Z", f: 0.5 },
      },
    },
    {
      cells: ["n02"],
      object: {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "n02" },
        spec: { n: 2, q: "2Ki", s: "c" },
      },
    },
    {
      cells: ["n03"],
      object: { apiVersion: "v1", kind: "X", metadata: { name: "n03" }, spec: {} },
    },
    {
      cells: ["n04"],
      object: {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "n04" },
        spec: { n: null, q: "1", s: "a", f: 0.5 },
      },
    },
    {
      cells: ["n05"],
      object: { apiVersion: "v1", kind: "X", metadata: { name: "n05" }, spec: {} },
    },
    {
      cells: ["n06"],
      object: {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "n06" },
        spec: { n: 10, q: "x", s: "B", f: 2.5 },
      },
    },
  ],
};

/** The names, in their order. */
function sorted(path: string, [object]: readonly Printed[]): string {
  const isTable = !(object instanceof WatchEvent) && object?.kind === "Table";
  const output = isTable ? "" : "custom-columns=N:.metadata.name";
  const choose = () => sortingPrinter(tablePrinter({ ...anyOptions, output }), path);
  return printedText(choose, object ? [object] : []);
}

each<[path: string, printed: Printed[], output: string]>([
  [".spec.n", [object0], "N\nn05\nn03\nn04\nn01\nn02\nn00\nn06\n"],
  [".spec.n", [object1], "NAME\nn05\nn03\nn04\nn01\nn02\nn00\nn06\n"],
  ["{.spec.q}", [object0], "N\nn05\nn03\nn01\nn00\nn04\nn02\nn06\n"],
  ["{.spec.q}", [object1], "NAME\nn05\nn03\nn01\nn00\nn04\nn02\nn06\n"],
  ["spec.s", [object0], "N\nn05\nn03\nn06\nn01\nn04\nn00\nn02\n"],
  ["spec.s", [object1], "NAME\nn05\nn03\nn06\nn01\nn04\nn00\nn02\n"],
  [".spec.t", [object0], "N\nn06\nn05\nn04\nn03\nn02\nn01\nn00\n"],
  [".spec.t", [object1], "NAME\nn06\nn05\nn04\nn03\nn02\nn01\nn00\n"],
  [".spec.f", [object0], "N\nn05\nn03\nn02\nn01\nn04\nn00\nn06\n"],
  [".spec.f", [object1], "NAME\nn05\nn03\nn02\nn01\nn04\nn00\nn06\n"],
  [".metadata.name", [object0], "N\nn00\nn01\nn02\nn03\nn04\nn05\nn06\n"],
  [".metadata.name", [object1], "NAME\nn00\nn01\nn02\nn03\nn04\nn05\nn06\n"],
  [
    ".spec.none",
    [object0],
    'error: couldn\'t find any field with path "{.spec.none}" in the list of objects',
  ],
  [
    ".spec.none",
    [object1],
    'error: couldn\'t find any field with path "{.spec.none}" in the list of objects',
  ],
  [
    "{.a}{.b}",
    [object0],
    "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  ],
  [
    "{.a}{.b}",
    [object1],
    'error: couldn\'t find any field with path "{.a}{.b}" in the list of objects',
  ],
  [".spec.s[", [object0], "error: unterminated array"],
  [".spec.s[", [object1], "error: sorting error: unterminated array"],
  [
    ".spec.n.x",
    [object0],
    'error: couldn\'t find any field with path "{.spec.n.x}" in the list of objects',
  ],
  [
    ".spec.n.x",
    [object1],
    'error: couldn\'t find any field with path "{.spec.n.x}" in the list of objects',
  ],
  ["a b", [object0], "error: unrecognized identifier b"],
  [
    "a b",
    [object1],
    'error: Failed to get values for [][]reflect.Value(nil) using {.a b} (&errors.errorString{s:"unrecognized identifier b"})',
  ],
])("sortingPrinter: %s", (given, printed, output) => {
  expect(sorted(given, printed)).toBe(output);
});
