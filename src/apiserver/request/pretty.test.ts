import { expect, test } from "vitest";
import { toApiRequest } from "../in-process.test-support.ts";
import { indentJson, prettyResponse, wantsPretty } from "./pretty.ts";

const values: unknown[] = [
  {},
  [],
  1.5,
  "a",
  { a: [], b: {}, c: [1, [true, null]], d: { "10": -1, "2": "x" } },
  { 'quo"te\\': 'back\\slash\\\\" {[,:]} \n', "": "\\" },
];
test.each(values)("indentJson: %j", (value) => {
  const pretty = JSON.stringify(value, null, 2);
  expect(indentJson(`${JSON.stringify(value)}\n`)).toBe(pretty);
  expect(indentJson(pretty)).toBe(pretty);
});

test("indentJson: numbers and the order of keys stay as they are written", () => {
  expect(indentJson('{"2":9007199254740993,"1":1.0,"__proto__":{}}')).toBe(
    '{\n  "2": 9007199254740993,\n  "1": 1.0,\n  "__proto__": {}\n}',
  );
});

const requests: [path: string, agent: string, expected: boolean][] = [
  ["/api", "kubectl/v1.32", false],
  ["/api", "curl/8.0", true],
  ["/api", "Wget/1.2", true],
  ["/api", "Mozilla/5.0 (X11)", true],
  ["/api", "curly", true],
  ["/api?pretty=false", "curl/8.0", false],
  ["/api?pretty=nonsense", "curl/8.0", false],
  ["/api?pretty=", "curl/8.0", true],
  ["/api?pretty=1", "kubectl", true],
  ["/api?watch=1&pretty=true", "kubectl", true],
  ["/openapi/v2?pretty=true", "curl/8.0", false],
];
test.each(requests)("wantsPretty: %s from %s is %j", (path, agent, expected) => {
  expect(wantsPretty(toApiRequest({ path, headers: { "user-agent": agent } }))).toBe(expected);
});

test("prettyResponse: parts of a list are joined; streams and other types are left alone", () => {
  const json = { status: 200, headers: { "content-type": "application/json" } };
  const stream = { ...json, body: { start: () => () => {} } };
  const yaml = { status: 200, headers: { "content-type": "application/yaml" }, body: "{}" };
  const parts = ['{"a":[', new TextEncoder().encode('"é"'), "]}\n"];
  expect([
    prettyResponse({ ...json, body: parts }),
    prettyResponse({ ...json, body: new TextEncoder().encode("[1]") }),
    prettyResponse(stream),
    prettyResponse(yaml),
  ]).toEqual([
    { ...json, body: '{\n  "a": [\n    "é"\n  ]\n}' },
    { ...json, body: "[\n  1\n]" },
    stream,
    yaml,
  ]);
});
