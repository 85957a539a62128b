import { expect, test } from "vitest";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { toApiRequest } from "../../in-process.test-support.ts";
import { configMapKind, coreKind, objectOf, resources } from "../verb-parts.test-support.ts";
import { patchType, readPatch } from "./patch.ts";

const object = objectOf(configMapKind, "a", { data: { k: "1", l: "1" } });

function patch(
  type: "json" | "merge" | "strategic-merge",
  body: string,
  fieldValidation: "Ignore" | "Warn" | "Strict" = "Warn",
) {
  const warnings: string[] = [];
  const request = toApiRequest({ path: "/", body });
  const mediaType = `application/${type}-patch+json` as const;
  try {
    const context = { type: mediaType, kind: configMapKind, resources, fieldValidation, warnings };
    return { ...readPatch(request, context)(object), warnings };
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

test.each([
  ["merge", '{"data":{"k":"2","l":null}}', { k: "2" }],
  ["merge", '{"data":null}', undefined],
  ["merge", '{"data":{"__proto__":"x"}}', JSON.parse('{"__proto__":"x","k":"1","l":"1"}')],
  ["json", '[{"op":"replace","path":"/data/k","value":"2"}]', { k: "2", l: "1" }],
  ["json", '[{"op":"move","from":"/data/k","path":"/data/m"}]', { l: "1", m: "1" }],
  [
    "json",
    '[{"op":"copy","from":"/data/k","path":"/data/l"},{"op":"remove","path":"/data/k"}]',
    { l: "1" },
  ],
  [
    "json",
    '[{"op":"add","path":"/data/__proto__","value":"x"}]',
    JSON.parse('{"__proto__":"x","k":"1","l":"1"}'),
  ],
  ["json", "[]", { k: "1", l: "1" }],
  ["strategic-merge", '{"data":{"k":"2","l":null}}', { k: "2" }],
  ["strategic-merge", '{"data":{"$patch":"replace","m":null}}', { m: "" }],
  ["strategic-merge", '{"kind":"Secret","apiVersion":"v9"}', { k: "1", l: "1" }],
  ["strategic-merge", "null", { k: "1", l: "1" }],
] as const)("readPatch: %s %s", (type, body, data) => {
  const { metadata, kind, apiVersion } = object;
  expect(patch(type, body)).toEqual({ kind, apiVersion, metadata, data, warnings: [] });
});

test("readPatch: the object that is patched stays as it is", () => {
  const before = JSON.stringify(object);
  patch("merge", '{"data":{"k":"2"},"metadata":{"labels":{"a":"b"}}}');
  patch("json", '[{"op":"remove","path":"/data/k"}]');
  expect(JSON.stringify(object)).toEqual(before);
});

test.each([
  ["merge", "{", /^400 error decoding patch: unexpected end of JSON input$/],
  [
    "merge",
    "[]",
    "400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  ],
  [
    "merge",
    "true",
    "400 error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}",
  ],
  [
    "merge",
    '{"data":1}',
    /^422 {2}"" is invalid: patch: Invalid value: .*: json: cannot unmarshal number into Go struct field ConfigMap\.data of type map\[string\]string$/,
  ],
  ["merge", '{"data":{"k":9007199254740993}}', /^422 .*cannot unmarshal number into/],
  [
    "merge",
    `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    /^400 error decoding patch: .*exceeded max depth$/,
  ],
  ["json", "{}", /^400 error decoding patch: /],
  [
    "json",
    '[{"op":"remove","path":"/none"}]',
    "422 the server rejected our request due to an error in our request",
  ],
  [
    "json",
    '[{"op":"test","path":"/data/k","value":"2"}]',
    "422 the server rejected our request due to an error in our request",
  ],
  [
    "json",
    JSON.stringify(new Array(10_001).fill({ op: "test", path: "/kind", value: "ConfigMap" })),
    "413 The allowed maximum operations in a JSON patch is 10000, got 10001",
  ],
  ["merge", "null", "400 Invalid JSON Patch"],
  ["merge", "", "400 error decoding patch: unexpected end of JSON input"],
  ["merge", "\ufeff{}", /^400 error decoding patch: invalid character 'ï' looking for/],
  ["merge", "data: {}", /^400 error decoding patch: invalid character 'd' looking for/],
  [
    "merge",
    '{"kind":"Service"}',
    /^422 {2}"" is invalid: patch: .*: converting \(v1\.Service\) to \(core\.ConfigMap\): unknown conversion$/,
  ],
  [
    "merge",
    '{"apiVersion":"v2"}',
    /: no kind "ConfigMap" is registered for version "v2" in scheme "pkg\/api\/legacyscheme\/scheme\.go:30"$/,
  ],
  ["merge", '{"apiVersion":"a/b/c"}', /^422 .*: unexpected GroupVersion string: a\/b\/c$/],
  [
    "merge",
    '{"apiVersion":5}',
    /json parse error: json: cannot unmarshal number into Go struct field \.apiVersion of type string$/,
  ],
  [
    "json",
    '[{"op":"replace","path":"","value":[]}]',
    /^422 .*couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type struct \{/,
  ],
  ["strategic-merge", "[", "400 unexpected end of JSON input"],
  [
    "strategic-merge",
    "5",
    "400 json: cannot unmarshal number into Go value of type map[string]interface {}",
  ],
  ["strategic-merge", "data: {}", /^400 invalid character 'd' looking for beginning of value$/],
  [
    "strategic-merge",
    '{"data":{"$patch":"x"}}',
    /^500 unknown patch type: x in map: map\[\$patch:x\]$/,
  ],
  ["strategic-merge", '{"data":{"$retainKeys":"x"}}', "400 invalid patch format of retainKeys"],
  [
    "strategic-merge",
    '{"data":{"k":5}}',
    '422  "" is invalid: patch: Invalid value: "map[data:map[k:5]]": cannot convert int64 to string',
  ],
  [
    "strategic-merge",
    '{"metadata":{"$setElementOrder/finalizers":["a"],"finalizers":["a"],"labels":[],"name":null}}',
    '422  "" is invalid: patch: Invalid value: "map[metadata:map[labels:[] name:<nil>]]": cannot restore map from slice',
  ],
] as const)("readPatch: %s %.60s is refused", (type, body, wanted) => {
  expect(patch(type, body)).toMatch(wanted);
});

test("readPatch: unknown fields are rejected, warned of or ignored, as the client requested", () => {
  const body = '{"dato":{"k":"2"}}';
  expect([
    patch("merge", body),
    patch("merge", body, "Ignore"),
    patch("merge", body, "Strict"),
  ]).toEqual([
    expect.objectContaining({ warnings: ['unknown field "dato"'] }),
    expect.objectContaining({ warnings: [] }),
    expect.stringMatching(/^422 .*strict decoding error: unknown field "dato"$/),
  ]);
});

test("readPatch: without field validation a merge patch is decoded leniently", () => {
  expect([patch("merge", "{", "Ignore"), patch("merge", "5", "Ignore")]).toEqual([
    "400 Invalid JSON Patch",
    "400 Invalid JSON Patch",
  ]);
  expect(patch("merge", "[]", "Ignore")).toMatch(/^422 .*couldn't get version\/kind/);
  expect(patch("json", "{}", "Ignore")).toBe(
    "400 json: cannot unmarshal object into Go value of type jsonpatch.Patch",
  );
});

test("readPatch: errors in the patch come before errors in the object", () => {
  const body = '{"data":{"k":"2","k":"3"},"b":1,"a":1}';
  const faults = ['duplicate field "data.k"', 'unknown field "a"', 'unknown field "b"'];
  for (const type of ["merge", "strategic-merge"] as const) {
    expect(patch(type, body)).toMatchObject({ data: { k: "3" }, warnings: faults });
    expect(patch(type, body, "Strict")).toMatch(
      new RegExp(`strict decoding error: ${faults.join(", ")}$`),
    );
  }
});

test("readPatch: the text of a rejected object is sorted where the patch changed it", () => {
  const refused = patch("json", '[{"op":"add","path":"/data/a","value":{"z":1,"b":2}}]');
  expect(refused).toContain(
    String.raw`{\"apiVersion\":\"v1\",\"data\":{\"a\":{\"z\":1,\"b\":2},\"k\":\"1\",\"l\":\"1\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":`,
  );
});

test("readPatch: an object without version is none that is known", () => {
  expect(patch("json", '[{"op":"remove","path":"/apiVersion"}]')).toMatchObject({
    metadata: {},
    warnings: ['unknown field "data"', 'unknown field "metadata"'],
  });
});

test("readPatch: strategic merge patches know the fields of a kind", () => {
  const kind = coreKind("Service");
  const ports = [{ port: 80 }, { port: 53, protocol: "UDP" }];
  const service = objectOf(kind, "a", { spec: { ports }, status: { loadBalancer: {} } });
  const body =
    '{"spec":{"ports":[{"port":53,"$patch":"delete"},{"port":1,"nodePort":4294967297}]}}';
  const read = readPatch(toApiRequest({ path: "/", body }), {
    type: "application/strategic-merge-patch+json",
    kind,
    resources,
    fieldValidation: "Warn",
    warnings: [],
  });
  expect(read(service)).toMatchObject({
    spec: { ports: [{ port: 1, nodePort: 1 }, { port: 80 }] },
  });
});

test("patchType: parameters are ignored, and unknown types are rejected", () => {
  const of = (type: string) =>
    patchType(toApiRequest({ path: "/", headers: { "content-type": type } }), configMapKind);
  expect(of("application/merge-patch+json; charset=utf-8")).toEqual("application/merge-patch+json");
  for (const type of ["", "application/json", "text/plain", "Application/merge-patch+json"])
    expect(() => of(type)).toThrow("415: Unsupported Media Type");
  for (const type of [
    "text/plain, application/merge-patch+json",
    "application/merge-patch+json ;a",
  ])
    expect(() => of(type)).toThrow(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json",
    );
});
