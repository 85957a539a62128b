import { expect, test } from "vitest";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { toApiRequest } from "./in-process.test-support.ts";
import { patchType, readPatch } from "./patch.ts";
import { configMapKind, objectOf } from "./registry.test-support.ts";

const object = objectOf(configMapKind, "a", { data: { k: "1", l: "1" } });

function patch(
  type: "json" | "merge",
  body: string,
  fieldValidation: "Ignore" | "Warn" | "Strict" = "Warn",
) {
  const warnings: string[] = [];
  const request = toApiRequest({ path: "/", body });
  const mediaType = `application/${type}-patch+json` as const;
  try {
    const context = { type: mediaType, kind: configMapKind, fieldValidation, warnings };
    return { ...readPatch(request, context)(object), warnings };
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

test.each([
  ["merge", '{"data":{"k":"2","l":null}}', { k: "2" }],
  ["merge", '{"data":null}', undefined],
  ["merge", "null", { k: "1", l: "1" }],
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
] as const)("readPatch: %s %.60s is refused", (type, body, wanted) => {
  expect(patch(type, body)).toMatch(wanted);
});

test("readPatch: unknown fields are minded as the client asks", () => {
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

test("patchType: parameters do not matter, and what is unknown is refused", () => {
  const of = (type: string) =>
    patchType(toApiRequest({ path: "/", headers: { "content-type": type } }));
  expect(of("Application/Merge-Patch+JSON; charset=utf-8")).toEqual("application/merge-patch+json");
  for (const type of ["", "application/json", "text/plain"])
    expect(() => of(type)).toThrow(expect.objectContaining({ code: 415 }));
});
