import { expect, test } from "vitest";
import { envelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import { toApiRequest } from "../in-process.test-support.ts";
import { configMapKind, resources } from "../verbs/verb-parts.test-support.ts";
import { contentType, readObject } from "./body.ts";

function read(
  body: string | Uint8Array,
  type = "application/json",
  fieldValidation: "Ignore" | "Warn" | "Strict" = "Warn",
) {
  const warnings: string[] = [];
  const request = {
    ...toApiRequest({ path: "/", headers: { "content-type": type } }),
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  };
  try {
    const object = readObject(request, {
      kind: configMapKind,
      resources,
      fieldValidation,
      warnings,
    });
    return { object, warnings };
  } catch (error) {
    return (error as Error).message;
  }
}
const stored = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } };
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";

test.each([
  ["JSON", JSON.stringify(stored), "application/json"],
  [
    "JSON without kind",
    '{"metadata":{"name":"a"},"data":{"k":"v"}}',
    "application/json; charset=utf-8",
  ],
  ["YAML", "metadata:\n  name: a\ndata: {k: v}\n", yaml],
  ["JSON as YAML", JSON.stringify(stored), yaml],
  [
    "protobuf",
    envelope({
      apiVersion: "v1",
      kind: "ConfigMap",
      raw: encodeProtobuf(configMapKind.struct, stored),
    }),
    protobuf,
  ],
])("readObject: %s", (_, body, type) => {
  expect(read(body, type)).toEqual({ object: stored, warnings: [] });
});

const cannot = "cannot be handled as a ConfigMap:";
test.each([
  [
    "{",
    /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: unexpected end of JSON input \(\{\)$/,
  ],
  ["", /json parse error: unexpected end of JSON input \(<empty>\)$/],
  ["[1]", /json: cannot unmarshal array into Go value of type struct \{ .* \(5b315d\)$/],
  ['{"apiVersion":"a/b/c"}', /unexpected GroupVersion string: a\/b\/c \(/],
  [
    '{"kind":"Secret"}',
    `Secret in version "v1" ${cannot} converting (v1.Secret) to (core.ConfigMap): unknown conversion`,
  ],
  [
    '{"kind":"SecretList"}',
    `SecretList in version "v1" ${cannot} converting (v1.SecretList) to (core.ConfigMap): unknown conversion`,
  ],
  [
    '{"kind":"None"}',
    `None in version "v1" ${cannot} no kind "None" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  ],
  [
    '{"data":1}',
    `ConfigMap in version "v1" ${cannot} json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string`,
  ],
])("readObject: %s is refused", (body, wanted) => {
  if (typeof wanted === "string") expect(read(body)).toEqual(wanted);
  else expect(read(body)).toMatch(wanted);
});

test("readObject: errors show the beginning of long bodies", () => {
  expect(read(`{"a":${"x".repeat(100)}`)).toMatch(/\(\{"a":x{25} \.\.\.\)$/);
});

test.each([
  [
    "application/json",
    '{"x":1,"data":{"k":"1","k":"2"}}',
    ['unknown field "x"', 'duplicate field "data.k"'],
  ],
  [yaml, "x: 1\nmetadata: {name: a}\n", ['unknown field "x"']],
  [yaml, "data: {k: '1'}\ndata: {k: '2'}\n", [expect.stringContaining("already set in map")]],
])("readObject: %s: what strict decoding rejects is a warning", (type, body, warnings) => {
  expect(read(body, type)).toMatchObject({ warnings });
  expect(read(body, type, "Ignore")).toMatchObject({ warnings: [] });
  expect(read(body, type, "Strict")).toMatch(
    /cannot be handled as a ConfigMap: strict decoding error: /,
  );
});

test.each([
  ["not protobuf", new TextEncoder().encode("{}")],
  ["truncated", new TextEncoder().encode("k8s\0\x12\x05")],
  ["another kind", envelope({ apiVersion: "v1", kind: "Pod", raw: new Uint8Array() })],
])("readObject: protobuf that is %s is refused", (_, body) => {
  expect(read(body, protobuf)).toMatch(/ConfigMap/);
});

test("readObject: YAML that cannot be read is refused", () => {
  expect(read("a: [", yaml)).toMatch(
    /^the object provided is unrecognized \(must be of type ConfigMap\): yaml: /,
  );
});

test("contentType: is JSON by default, and rejects unknown types", () => {
  const of = (value: string | null) =>
    contentType(toApiRequest({ path: "/", headers: { "content-type": value } }));
  expect([of(null), of(""), of("Application/YAML ; x=y")]).toEqual([
    "application/json",
    "application/json",
    yaml,
  ]);
  expect(() => of("text/plain")).toThrow(
    /^the body of the request was in an unknown format - accepted media types include: /,
  );
});
