import { expect, test } from "vitest";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { acceptedForm, matches, negotiate, parseAccept } from "./negotiation.ts";
import type { ApiRequest } from "./request.ts";

const json = "application/json";
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";
const table = ";as=Table;v=v1;g=meta.k8s.io";
const plain = (mediaType: string) => ({ mediaType, as: "", asVersion: "" });

test.each([
  [undefined, plain(json)],
  ["", plain(json)],
  ["*/*", plain(json)],
  ["application/*", plain(json)],
  [yaml, plain(yaml)],
  [protobuf, plain(protobuf)],
  [`${protobuf},${json}`, plain(protobuf)],
  [`${json};q=0.5,${yaml};q=0.9`, plain(yaml)],
  [`${json};q=0,${yaml}`, plain(yaml)],
  // What is named comes before what is not, unless that was found to be more wanted first.
  [`*/*;q=0.9,${yaml};q=0.1`, plain(yaml)],
  [`${yaml};q=0.1,*/*;q=0.9`, plain(json)],
  [`${json};q=0`, plain(json)],
  [`${json};stream=watch`, plain(json)],
  [`${json};stream=other,${yaml}`, plain(yaml)],
  [`${json};sv=v1,${yaml}`, plain(yaml)],
  [`${json};v=v1,${yaml}`, plain(yaml)],
  ["text/html,*/*", plain(json)],
  [`${json}; charset=utf-8`, plain(json)],
  [`${json}${table}`, { mediaType: json, as: "Table", asVersion: "v1" }],
  [
    `${json};as=Table;v=v1beta1;g=meta.k8s.io`,
    { mediaType: json, as: "Table", asVersion: "v1beta1" },
  ],
  [
    `${protobuf}${table},${json}${table},${json}`,
    { mediaType: json, as: "Table", asVersion: "v1" },
  ],
  [`${json};as=Table;v=v2;g=meta.k8s.io,${json}`, plain(json)],
  [`${json};as=Other;v=v1;g=meta.k8s.io,${yaml}`, plain(yaml)],
  [
    `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
    { mediaType: protobuf, as: "PartialObjectMetadata", asVersion: "v1" },
  ],
])("negotiate: %s", (accept, wanted) => {
  expect(negotiate(accept)).toEqual(wanted);
});

test.each([
  "text/html",
  "APPLICATION/JSON",
  `${json};as=Table;v=v1;g=other`,
  `${protobuf}${table}`,
])("negotiate: there is nothing for %s", (accept) => {
  expect(() => negotiate(accept)).toThrow(StatusError);
  expect(() => negotiate(accept)).toThrow(/^only the following media types are accepted: /);
});

test("parseAccept: the most wanted and most exact come first, then those named first", () => {
  expect(parseAccept("*/*,a/*,b/c;q=0.5,d/e;x=Y,f/g,,h/i;q=no").map(({ type }) => type)).toEqual([
    "d/e",
    "f/g",
    "b/c",
    "h/i",
    "a/*",
    "*/*",
  ]);
  expect([...(parseAccept("a/b; X = Y ;q=1;z;y=")[0]?.parameters ?? [])]).toEqual([["X", "Y"]]);
});

test("negotiate: without a table, the next accepted form is chosen", () => {
  expect(negotiate(`${json}${table},${yaml}`, { hasTable: false })).toEqual(plain(yaml));
  expect(() => negotiate(`${json}${table}`, { hasTable: false })).toThrow(StatusError);
});

test.each([
  ["text/html", false, "application/json, application/yaml, application/vnd.kubernetes.protobuf"],
  [
    "application/*",
    false,
    "application/json, application/yaml, application/vnd.kubernetes.protobuf",
  ],
  [
    "text/html",
    true,
    "application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
  ],
])("acceptedForm: %s is of no use (list: %s)", (accept, isList, offered) => {
  const request = { headers: { accept } } as unknown as ApiRequest;
  const kind = { struct: {} } as Parameters<typeof acceptedForm>[1];
  expect(() => acceptedForm(request, kind, { isList })).toThrow(
    `406: Not Acceptable\n\nAvailable representations: ${offered}`,
  );
});

test.each([
  ["*/*", "a/b", true],
  ["a/*", "a/b", true],
  ["a/*", "ab/c", false],
  ["a/b", "a/b", true],
  ["a/b", "a/c", false],
])("matches: %s and %s: %s", (accepted, offered, wanted) => {
  expect(matches(accepted, offered)).toEqual(wanted);
});
