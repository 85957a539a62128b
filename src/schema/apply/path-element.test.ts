import { describe, expect, test } from "vitest";
import {
  elementText,
  fieldElement,
  indexElement,
  keyElement,
  parseElement,
  pathText,
  sortElements,
  valueElement,
} from "./path-element.ts";

test.each([
  [fieldElement("a.b/c"), "f:a.b/c", ".a.b/c"],
  [
    keyElement({ protocol: "TCP", port: 80 }),
    'k:{"port":80,"protocol":"TCP"}',
    '[port=80,protocol="TCP"]',
  ],
  [keyElement({ name: 'a"<b>' }), 'k:{"name":"a\\"\\u003cb\\u003e"}', '[name="a\\"<b>"]'],
  [valueElement("x"), 'v:"x"', '[="x"]'],
  [valueElement(2.5), "v:2.5", "[=2.5]"],
  [valueElement(true), "v:true", "[=true]"],
  [indexElement(3), "i:3", "[3]"],
])("the step %s is written and shown as upstream does", (element, written, shown) => {
  expect([element, elementText(element)]).toEqual([written, shown]);
});

test("a path is shown step by step", () => {
  expect(pathText(["f:spec", "f:ports", 'k:{"port":80}', "f:name"])).toBe(
    ".spec.ports[port=80].name",
  );
});

describe("parseElement", () => {
  test.each([
    ["f:a", "f:a"],
    ['k:{ "b": 1, "a": "x" }', 'k:{"a":"x","b":1}'],
    ["v: 1.0", "v:1"],
    ["i:007", "i:7"],
    ["x:y", undefined],
  ])("%s is read as its canonical form", (text, element) => {
    expect(parseElement(text)).toBe(element);
  });
  test.each([
    ["f", "key must be 2 characters long:"],
    ["name", "missing colon: name"],
    ["i:x", 'strconv.Atoi: parsing "x": invalid syntax'],
    ["k:[1]", "expected an object of keys: k:[1]"],
  ])("%s cannot be read", (text, message) => {
    expect(() => parseElement(text)).toThrow(new SyntaxError(message));
  });
  test("what is no JSON cannot be read", () => {
    expect(() => parseElement("v:{")).toThrow(SyntaxError);
  });
});

test("fields come before keys before values before places, each in their order", () => {
  const sorted = [
    "f:a",
    "f:b",
    'k:{"a":1}',
    'k:{"a":1,"b":1}',
    'k:{"a":2}',
    'k:{"a":10}',
    'k:{"a":"1"}',
    'k:{"b":0}',
    "v:1",
    "v:10",
    'v:"1"',
    "v:false",
    "v:true",
    "i:2",
    "i:10",
  ];
  expect(sortElements([...sorted].reverse())).toEqual(sorted);
});
