import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { createAdmissionCompiler } from "../../../api/admissionregistration/v1/admission-expression.ts";
import { mutationResults } from "../../../api/admissionregistration/v1/mutating-admission-policy-spec.ts";
import { Deployment } from "../../../api/apps/v1/deployment.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import { type AnyKind, type ApiObject, canonical } from "../../objects/object.ts";
import { applyConfiguration } from "./apply-configuration.ts";
import { applyEvaluatedPatch } from "./evaluated-patch.ts";

const kind = Deployment as unknown as AnyKind;
const object = canonical(kind, {
  kind: "Deployment",
  apiVersion: "apps/v1",
  metadata: { name: "n", labels: { l: "v" }, finalizers: ["x"] },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: {
        containers: [{ name: "a", image: "i", args: ["1"], ports: [{ containerPort: 80 }] }],
      },
    },
  },
});

/** The part of the object at a path after a change by an expression, or why there is none. */
function outcome(patch: keyof typeof mutationResults, expression: string, path: string): unknown {
  const compiled = createAdmissionCompiler({ hasVariables: true }).compile(
    expression,
    [mutationResults[patch]],
    { hasParams: false, hasAuthorizer: false, hasPatchTypes: true },
  );
  if (!("program" in compiled)) return compiled;
  const evaluated = compiled.program.evaluate((name) =>
    name === "object" ? fromJson(object) : undefined,
  );
  if ("error" in evaluated) return evaluated.error;
  try {
    const target = { object, kind };
    const changed =
      patch === "jsonPatch"
        ? applyEvaluatedPatch(target, evaluated.value, { findDeclared: () => undefined } as never)
        : applyConfiguration(target, evaluated.value);
    return partAt(changed, path);
  } catch (error) {
    return (error as Error).message;
  }
}

const partAt = (whole: ApiObject, path: string): unknown =>
  path.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], whole);

const spec = "Object.spec.template.spec";
const inPod = (fields: string): string =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: ${spec}{${fields}}}}}`;
const inContainer = (fields: string): string =>
  inPod(`containers: [${spec}.containers{name: "a", ${fields}}]`);
const untyped = (problem: string): string =>
  `error applying patch: failed to convert patch object to typed object: ${problem}`;
const atomic = (fields: string): string =>
  `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${fields}`;
const unfit = (problem: string): string =>
  `unable to convert unstructured object to apps/v1, Kind=Deployment: ${problem}`;

// The outcomes are those of upstream.
each<[expression: string, path: string, expected: unknown]>([
  ["Object{}", "metadata.name", "n"],
  ["Object{kind: 'X', apiVersion: 'v2'}", "kind", "Deployment"],
  ["Object{spec: Object.spec{replicas: 2.0}}", "spec.replicas", 2],
  ["Object{spec: Object.spec{replicas: 99999999999}}", "spec.replicas", 1215752191],
  ["Object{metadata: Object.metadata{finalizers: ['y'] + ['z']}}", "metadata.finalizers.2", "z"],
  [
    "Object{metadata: Object.metadata{annotations: object.metadata.labels}}",
    "metadata.annotations",
    { l: "v" },
  ],
  [inContainer("image: 'j'"), "spec.template.spec.containers.0.image", "j"],
  [
    inPod(`containers: [${spec}.containers{name: 'b', image: 'j'}]`),
    "spec.template.spec.containers.1.name",
    "b",
  ],
  [
    inPod(
      `containers: object.spec.template.spec.containers.map(c, ${spec}.containers{name: c.name, image: c.image + '2'})`,
    ),
    "spec.template.spec.containers.0.image",
    "i2",
  ],
  [
    inContainer(`resources: ${spec}.containers.resources{limits: {'cpu': 1}}`),
    "spec.template.spec.containers.0.resources.limits.cpu",
    "1",
  ],
  [inPod("?hostname: optional.of('h')"), "spec.template.spec.hostname", "h"],
  [inPod("?hostname: optional.none()"), "spec.template.spec.hostname", undefined],
  ["Object{nope: 1}", "", untyped(".nope: field not declared in schema")],
  ["Object{spec: 1}", "", untyped(".spec: expected map, got &{1}")],
  [
    "Object{spec: Object.spec{replicas: null}}",
    "",
    untyped(".spec.replicas: expected numeric (int or float), got structpb.NullValue"),
  ],
  [
    "Object{spec: Object.spec{selector: {'matchLabels': {'c': 'd'}}}}",
    "",
    untyped(".spec.selector.matchLabels: expected map, got &{map[c:d]}"),
  ],
  [
    inPod("containers: [{'name': 'z'}]"),
    "",
    untyped(
      ".spec.template.spec.containers: element 0: associative list with keys may not have non-map elements",
    ),
  ],
  [
    inPod("hostname: duration('1s')"),
    "",
    untyped(
      ".spec.template.spec.hostname: expected string, got &value.valueUnstructured{Value:1000000000}",
    ),
  ],
  [
    "Object{metadata: Object.metadata{labels: {1: 'a'}}}",
    "",
    untyped(
      `.metadata: expected map, got &{fail to convert field "labels": map key '\\x01' is of type types.Int, not string}`,
    ),
  ],
  ["Object{metadata: {1: 'a'}}", "", "invalid return type: *dynamic.ObjectVal"],
  [inPod("nodeSelector: {'a': 'b'}"), "", atomic(".spec.template.spec.nodeSelector")],
  [inContainer("args: ['2']"), "", atomic(".spec.template.spec.containers[0].args")],
  [
    "Object{spec: Object.spec{selector: Object.spec.selector{matchExpressions: [Object.spec.selector.matchExpressions{key: 'k', operator: 'In', values: ['a']}]}}}",
    "",
    atomic(
      ".spec.selector, .spec.selector.matchExpressions, .spec.selector.matchExpressions[0].values",
    ),
  ],
  [
    "Object{metadata: Object.spec{}, spec: Object.metadata{}}",
    "",
    `type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type
unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type`,
  ],
  ["Object{spec: Object.spec{replicas: 1.5}}", "", unfit("cannot convert float64 to int32")],
])("applyConfiguration: %s", (expression, path, expected) => {
  expect(outcome("applyConfiguration", expression, path)).toEqual(expected);
});

const add = (path: string, value: string): string =>
  `[JSONPatch{op: "add", path: "${path}", value: ${value}}]`;
const notJson = (problem: string): string =>
  `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${problem}`;

each<[expression: string, path: string, expected: unknown]>([
  [add("/spec/replicas", "5u"), "spec.replicas", 5],
  [add("/spec/replicas", "5.0"), "spec.replicas", 5],
  [
    add("/metadata/generation", "9007199254740992"),
    "",
    "Internal error occurred: json: cannot unmarshal string into Go struct field ObjectMeta.metadata.generation of type int64",
  ],
  [add("/metadata/labels/d", "duration('90s')"), "metadata.labels.d", "90s"],
  [add("/metadata/labels/d", "b'abc'"), "metadata.labels.d", "YWJj"],
  [add("/metadata/labels", "{'a': null}"), "metadata.labels", { a: "" }],
  [add("/metadata/labels", "Object.metadata.labels{a: 'b'}"), "metadata.labels", { a: "b" }],
  [
    `[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: "x"}]`,
    "metadata.labels.a/b~c",
    "x",
  ],
  [
    "object.metadata.labels.map(k, JSONPatch{op: 'remove', path: '/metadata/labels/' + k})",
    "metadata.labels",
    undefined,
  ],
  [
    `[JSONPatch{op: "test", path: "/metadata/labels/l", value: "w"}, JSONPatch{op: "remove", path: "/metadata/labels/l"}]`,
    "metadata.labels.l",
    "v",
  ],
  [
    `[JSONPatch{op: "test", path: "/metadata/zz/l", value: "w"}]`,
    "",
    "JSON Patch: test operation does not apply: is missing path: /metadata/zz/l: missing value",
  ],
  [add("/nope", "1"), "", `Internal error occurred: strict decoding error: unknown field "nope"`],
  [
    add("/kind", "'x'"),
    "",
    `Internal error occurred: no kind "x" is registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  ],
  [
    add("/metadata/labels", "{1: 'a'}"),
    "",
    notJson("unsupported type conversion from 'int' to string"),
  ],
  [add("/metadata/labels/a", "type(1)"), "", notJson("type conversion not supported for 'type'")],
  [add("/metadata/labels/a", "optional.none()"), "", notJson("optional.none() dereference")],
  [
    add("/metadata/labels", "Object.metadata.labels{a: null}"),
    "",
    notJson("proto: invalid type: structpb.NullValue"),
  ],
  [
    add("/metadata", "Object.x{a: Object.y{}}"),
    "",
    `type mismatch: unexpected type name "Object.y", expected "Object.x.a", which matches field name path from root Object type`,
  ],
  [
    "[JSONPatch{op: 'add', path: object.spec.replicas, value: 1}]",
    "",
    "unexpected type int64 for JSONPatchType 'path' field",
  ],
])("applyEvaluatedPatch: %s", (expression, path, expected) => {
  expect(outcome("jsonPatch", expression, path)).toEqual(expected);
});

test("applyConfiguration: options of a connection have no type to merge by", () => {
  const options = { kind: "PodExecOptions", apiVersion: "v1", metadata: {} };
  const compiled = createAdmissionCompiler({ hasVariables: false }).compile(
    "Object{}",
    [mutationResults.applyConfiguration],
    { hasParams: false, hasAuthorizer: false, hasPatchTypes: true },
  );
  const evaluated = "program" in compiled && compiled.program.evaluate(() => undefined);
  if (!evaluated || "error" in evaluated) throw new Error("not evaluated");
  expect(() => applyConfiguration({ object: options, kind: undefined }, evaluated.value)).toThrow(
    untyped("no corresponding type for /v1, Kind=PodExecOptions"),
  );
});
