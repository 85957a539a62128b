import { expect, test } from "vitest";
import { rejectedFields } from "./explain-invalid-fields.ts";
import { fieldPlace, parsePath } from "./manifest-place.ts";

const document = `kind: Deployment
metadata:
  labels: {a: "b c", "x.io/y": z}
spec:
  template:
    spec:
      containers:
      - name: one
        args: &args [a, b]
      - name: two
        args: *args
        ports:
        - containerPort: 80
          protocol: TCP
        - {containerPort: many}
`;
const manifest = `kind: ConfigMap\n---\n${document}`;
const yaml = { manifest, start: manifest.indexOf(document), document, path: [] };
const json = {
  manifest: ' {}\n{"spec":\n {"items": [1, {"a": true}]}}',
  start: 4,
  document: '{"spec":\n {"items": [1, {"a": true}]}}',
  path: [],
};
const item = {
  manifest: "items:\n- a: 1\n- a: 2\n",
  start: 0,
  document: "items:\n- a: 1\n- a: 2\n",
  path: ["items", 1],
};

const containers = "spec.template.spec.containers";
const rows: [place: typeof item, path: string, found: string][] = [
  [yaml, "kind", "3:1"],
  [yaml, "metadata.labels", "5:3"],
  [yaml, "metadata.labels[x.io/y]", "5:22"],
  [yaml, `${containers}[1].name`, "12:9"],
  [yaml, `${containers}[name="two"].ports[containerPort=80,protocol="TCP"].protocol`, "16:11"],
  [yaml, `${containers}[1].args[="b"]`, "11:25"],
  [yaml, `${containers}[1].ports[1].containerPort`, "17:12"],
  [yaml, `${containers}[0].image`, "10:9 missing"],
  [yaml, "spec.selector", "6:1 missing"],
  [yaml, "status.replicas", "3:1 missing"],
  [json, "spec.items[1].a", "3:17"],
  [item, "a", "3:3"],
];

test.each(rows)("fieldPlace: %#: %s %s", (place, path, expected) => {
  const found = fieldPlace(place, parsePath(path));
  expect(found && `${found.line}:${found.column}${found.isThere ? "" : " missing"}`).toBe(expected);
});

const messages: [message: string, fields: string[]][] = [
  ['strict decoding error: unknown field "spec.foo", duplicate field "a"', ["spec.foo", "a"]],
  [
    "json: cannot unmarshal string into Go struct field Container.spec.containers.ports.containerPort of type int32",
    ["spec.containers.ports.containerPort"],
  ],
  [
    "failed to create typed patch object (default/Web; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema",
    ["spec.foo"],
  ],
  [
    'errors:\n  .spec.containers[name="a: b"].image: expected string, got &value.valueUnstructured{}',
    ['spec.containers[name="a: b"].image'],
  ],
  ["deployments.apps is forbidden: no", []],
];

test.each(messages)("rejectedFields: %s", (message, fields) => {
  expect([...rejectedFields({ message, details: undefined }).keys()]).toEqual(fields);
});

test("fieldPlace: a path without indices leads to the first item that has it", () => {
  const path = rejectedFields({
    message: "into Go struct field P.spec.template.spec.containers.ports.protocol of type string",
    details: undefined,
  });
  const [field = []] = path.values();
  expect(fieldPlace(yaml, field)).toMatchObject({ line: 16 });
});
