import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import {
  splitSubscript,
  validateObjectFieldSelector,
  validateResourceFieldSelector,
} from "./field-selector.ts";

const errorsOf = (at: At) => at.errors.map(({ field, message }) => `${field}: ${message}`);
const conversion = (path: string, error: string) =>
  `r.fieldPath: Invalid value: "${path}": error converting fieldPath: ${error}`;

each<[rule: string, selector: [string, string], errors: readonly string[]]>([
  ["a field that may be named passes", ["v1", "spec.nodeName"], []],
  ["the old name of the node passes", ["v1", "spec.host"], []],
  ["one annotation or label passes", ["v1", "metadata.annotations['A.b/C']"], []],
  ["a path is needed", ["v1", ""], ["r.fieldPath: Required value"]],
  ["there is one version", ["v2", "a"], [conversion("a", "unsupported pod version: v2")]],
  ["fields are known", ["v1", "a.b"], [conversion("a.b", "field label not supported: a.b")]],
  [
    "maps alone have subscripts",
    ["v1", "spec.nodeName['a']"],
    [
      conversion(
        "spec.nodeName['a']",
        "field label does not support subscript: spec.nodeName['a']",
      ),
    ],
  ],
  [
    "a field that may not be named here is not supported",
    ["v1", "status.phase"],
    [
      'r.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "spec.nodeName"',
    ],
  ],
])("validateObjectFieldSelector: %s", (_, [apiVersion, fieldPath], errors) => {
  const at = At.root();
  const fields = ["spec.nodeName", "metadata.name"];
  validateObjectFieldSelector({ apiVersion, fieldPath }, fields, at.child("r"));
  expect(errorsOf(at)).toEqual(errors);
});

each<[rule: string, resource: string, divisor: string, errors: readonly string[]]>([
  ["a limit passes", "limits.cpu", "0", []],
  ["huge pages of any size pass", "requests.hugepages-2Mi", "1Mi", []],
  ["a resource is needed", "", "0", ["r.resource: Required value"]],
  [
    "resources are known",
    "limits.gpu",
    "0",
    [
      'r.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ],
  ],
  [
    "CPU is divided by 1 or 1m",
    "limits.cpu",
    "2",
    [
      'r.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
    ],
  ],
  [
    "bytes are divided by a power of 1000 or 1024",
    "requests.ephemeral-storage",
    "2Ki",
    [
      'r.divisor: Invalid value: "requests.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
    ],
  ],
])("validateResourceFieldSelector: %s", (_, resource, divisor, errors) => {
  const at = At.root();
  validateResourceFieldSelector({ resource, divisor }, at.child("r"));
  expect(errorsOf(at)).toEqual(errors);
});

test.each([
  ["metadata.labels['a[b]c']", { path: "metadata.labels", subscript: "a[b]c" }],
  ["metadata.labels['']", { path: "metadata.labels", subscript: "" }],
  ["metadata.labels", undefined],
  ["['a']", undefined],
  ["a[']", undefined],
])("splitSubscript: %s", (path, parts) => {
  expect(splitSubscript(path)).toEqual(parts);
});
