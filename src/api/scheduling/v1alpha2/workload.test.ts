import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { created, updated } from "../../kind.test-support.ts";
import { Workload } from "./workload.ts";

const template = (name: string) => ({ name, schedulingPolicy: { basic: {} } });
const templates = (count: number) => Array.from({ length: count }, (_, i) => template(`t${i}`));
const of = (...podGroupTemplates: object[]) => ({ podGroupTemplates });

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a template is enough", of(template("a")), []],
  ["none is too few", {}, ["spec.podGroupTemplates: Required value"]],
  [
    "nine are too many",
    of(...templates(9)),
    ["spec.podGroupTemplates: Too many: 9: must have at most 8 items"],
  ],
  [
    "templates have names of their own, and policies",
    of(template("a"), { name: "a" }),
    [
      'spec.podGroupTemplates[1]: Duplicate value: {"name":"a","schedulingPolicy":{},"schedulingConstraints":null}',
      'spec.podGroupTemplates[1].schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`',
    ],
  ],
  [
    "what it is made for has a kind and a name",
    { ...of(template("a")), controllerRef: { apiGroup: "A", kind: "a/b" } },
    [
      "spec.controllerRef.apiGroup: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.controllerRef.kind: Invalid value: \"a/b\": may not contain '/'",
      "spec.controllerRef.name: Required value",
    ],
  ],
])("Workload: %s", (_, spec, errors) => {
  expect(created(Workload, { spec })).toEqual(errors);
});

test("Workload: all of it stays as it is", () => {
  const now = { spec: { ...of(...templates(9)), controllerRef: { kind: "Job", name: "j" } } };
  expect(updated(Workload, { spec: of(template("a")) }, now)).toEqual([
    "spec.controllerRef: Invalid value: null: field is immutable",
    "spec.podGroupTemplates: Invalid value: null: field is immutable",
    "spec.podGroupTemplates: Too many: 9: must have at most 8 items",
  ]);
});
