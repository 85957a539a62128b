import { expect, test } from "vitest";
import { jsonAsYaml } from "./json-as-yaml.ts";
import { yamlToJson } from "./yaml.ts";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** A line feed before the text has it read as YAML. */
const asYaml = (text: string): unknown => yamlToJson(`\n${text}`);

test.each([
  "{}",
  '{"kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}}',
  '{ "a" : [1, 2, {"b": null}], "c": true , "d": false}\n',
  '{"a":":8080","b":"x: y","c":"# no comment","d":"\\"quoted\\": yes","e":"a\\\\"}',
  '{"a":"<b>\\n\\t\\/é ü 漢"}',
  '{"a":0,"b":-1,"c":1.0,"d":1e3,"e":1E+2,"f":9007199254740991}',
  '{"yes":"yes","1":"1","~":"~","<<":"<<","":"","on":"012"}',
  '{"__proto__":{"a":1},"10":1,"9":2}',
  nested(50),
])("jsonAsYaml: what it reads is what YAML says: %s", (text) => {
  const value = jsonAsYaml(text);
  expect(value).toBeDefined();
  expect(JSON.stringify(value)).toEqual(JSON.stringify(asYaml(text)));
  expect(yamlToJson(text)).toEqual(asYaml(text));
});

test.each([
  "a: 1",
  "{a: 1}",
  '{"a":1,}',
  '{"a":1} # comment',
  '{"a":1,"a":2}',
  '{"a":{"b":1,"b":1}}',
  '{"a":1.5}',
  '{"a":-0}',
  '{"a":9007199254740993}',
  '{"a":1e400}',
  '{\n"a":1}',
  '{\t"a":1}',
  '{"a":"\u2028"}',
  '{"a":"\u0085"}',
  '{"a":"\\ud83d\\ude00"}',
  `{"${"k".repeat(200)}":1}`,
  nested(200),
  "[1]",
  '{"a":1}{"b":2}',
])("jsonAsYaml: leaves to YAML what YAML may read otherwise: %s", (text) => {
  expect(jsonAsYaml(text)).toEqual(undefined);
});

test("yamlToJson: keys that are repeated in JSON are a fault of the YAML that it is", () => {
  expect(() => yamlToJson('{"a":1,"a":2}')).toThrow('line 1: key "a" already set in map');
  expect(yamlToJson('{"a":1,"a":2}', { lenient: true })).toEqual({ a: 2 });
});
