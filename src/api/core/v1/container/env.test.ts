import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { At } from "../../../../schema/language/report.ts";
import {
  type EnvFromSource,
  type EnvVar,
  FileKeySelector,
  validateEnv,
  validateEnvFrom,
} from "./env.ts";

const found = (rule: (at: At) => void): readonly string[] => {
  const at = At.root();
  rule(at.child("e"));
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const env = (...variables: readonly EnvVar[]) => found((at) => validateEnv(variables, at));
const from = (...sources: readonly EnvFromSource[]) => found((at) => validateEnvFrom(sources, at));
const secretKeyRef = { name: "s", key: "k" };

each<[rule: string, errors: readonly string[], expected: readonly string[]]>([
  ["names may hold almost anything", env({ name: "1 a:b" }), []],
  ["but not nothing", env({ name: "" }), ["e[0].name: Required value"]],
  [
    "a value comes from somewhere",
    env({ name: "a", valueFrom: {} }),
    [
      'e[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    ],
  ],
  [
    "but only from one place",
    env(
      { name: "a", value: "v", valueFrom: { secretKeyRef } },
      { name: "b", valueFrom: { secretKeyRef, configMapKeyRef: secretKeyRef } },
    ),
    [
      'e[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      'e[1].valueFrom: Invalid value: "": may not have more than one field specified at a time',
    ],
  ],
  [
    "not every field of a pod is for environments",
    env({ name: "a", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.phase" } } }),
    [
      'e[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
  ],
  [
    "a variable of a file has key, volume and path",
    env({
      name: "a",
      valueFrom: { fileKeyRef: { key: "", volumeName: "", path: "../x", optional: false } },
    }),
    [
      "e[0].valueFrom.fileKeyRef.key: Required value",
      "e[0].valueFrom.fileKeyRef.volumeName: Required value",
      "e[0].valueFrom.fileKeyRef.path: Invalid value: \"../x\": must not contain '..'",
    ],
  ],
])("validateEnv: %s", (_, errors, expected) => {
  expect(errors).toEqual(expected);
});

test("validateEnvFrom: one source each; errors of the number are told of the list", () => {
  expect(
    from({}, { configMapRef: {}, secretRef: { name: "s" } }, { secretRef: { name: "a-" } }),
  ).toEqual([
    'e: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
    "e[1].configMapRef.name: Required value",
    'e: Invalid value: "": may not have more than one field specified at a time',
  ]);
});

test("FileKeySelector: a variable of a file is there, unless it is said that it may be missing", () => {
  const selector = { volumeName: "v", path: "p", key: "k" };
  applyDefaults(FileKeySelector, selector);
  expect(selector).toEqual({ volumeName: "v", path: "p", key: "k", optional: false });
});
