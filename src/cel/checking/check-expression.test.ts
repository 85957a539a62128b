import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import {
  anyType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  showType,
  stringType,
} from "./cel-type.ts";
import { declBool, declInt, declList, declMap, declObject, declString } from "./decl-type.ts";
import { baseEnvironment, extendEnvironment } from "./environment.ts";

const thing = declObject("Thing", {
  name: declString,
  size: declInt,
  __namespace__: declString,
  tags: declList(declString, 5),
  labels: declMap(declString, declInt, 5),
  inner: declObject("Inner", { on: declBool }),
});

const environment = extendEnvironment(baseEnvironment(), {
  variables: {
    self: thing.type,
    i: intType,
    s: stringType,
    list: listType(intType),
    map: mapType(stringType, intType),
    d: dynType,
    any: anyType,
    opt: optionalType(intType),
    "a.b": intType,
  },
  types: [thing],
});

/** The type of an expression, or the first line of each of its errors. */
function typeOf(text: string): string | string[] {
  const compiled = compile(environment, text);
  if (!("error" in compiled)) return showType(compiled.type);
  return compiled.error
    .split("\n")
    .filter((line) => line.startsWith("ERROR: "))
    .map((line) => line.replace("ERROR: <input>:", ""));
}

test.each<[rule: string, text: string, type: string | string[]]>([
  ["a name that is not declared", "x", ["1:1: undeclared reference to 'x' (in container '')"]],
  ["a name with a dot is declared as one", "a.b", "int"],
  ["a leading dot means the same", ".i", "int"],
  ["a field", "self.name", "string"],
  ["a field of a field", "self.inner.on", "bool"],
  ["a field that is a word of the language", "self.namespace", "string"],
  ["a field that is not declared", "self.nope", ["1:5: undefined field 'nope'"]],
  ["a field of a field that is not declared", "self.inner.nope", ["1:11: undefined field 'nope'"]],
  ["a field of a number", "i.x", ["1:2: type 'int' does not support field selection"]],
  ["a field of a list", "list.x", ["1:5: type 'list(int)' does not support field selection"]],
  ["a field of a string", "s.x", ["1:2: type 'string' does not support field selection"]],
  ["a field of a map is a key", "map.x", "int"],
  ["a field of anything", "d.x.y", "dyn"],
  ["a field of any", "any.x", "dyn"],
  ["an optional field", "self.?name", "optional_type(string)"],
  ["a field of an optional", "self.?inner.on", "optional_type(bool)"],
  ["a test of a field", "has(self.name)", "bool"],
  ["a test of a field that is not declared", "has(self.nope)", ["1:4: undefined field 'nope'"]],
  ["an index of a list", "list[0]", "int"],
  [
    "an index of a list must be a number",
    "list['a']",
    ["1:5: found no matching overload for '_[_]' applied to '(list(int), string)'"],
  ],
  ["an index of a map", "map['a']", "int"],
  [
    "an index of a map must be a key",
    "map[1]",
    ["1:4: found no matching overload for '_[_]' applied to '(map(string, int), int)'"],
  ],
  ["an optional index", "list[?0]", "optional_type(int)"],
  [
    "an index of a number",
    "i[0]",
    ["1:2: found no matching overload for '_[_]' applied to '(int, int)'"],
  ],
  ["a sum of numbers", "i + 1", "int"],
  [
    "a sum of a number and a string",
    "i + s",
    ["1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ],
  [
    "a sum of a signed and an unsigned number",
    "1 + 1u",
    ["1:3: found no matching overload for '_+_' applied to '(int, uint)'"],
  ],
  ["a sum of lists", "list + [1]", "list(int)"],
  [
    "a sum of lists of different types",
    "list + ['a']",
    ["1:6: found no matching overload for '_+_' applied to '(list(int), list(string))'"],
  ],
  ["a sum with anything", "i + d", "int"],
  ["numbers of different types can be compared", "1 < 2.5 && 1u >= 2", "bool"],
  [
    "a number and a string cannot",
    "i < s",
    ["1:3: found no matching overload for '_<_' applied to '(int, string)'"],
  ],
  [
    "equality is of one type",
    "i == s",
    ["1:3: found no matching overload for '_==_' applied to '(int, string)'"],
  ],
  ["equality with null", "self == null", "bool"],
  [
    "equality of a number with null",
    "i == null",
    ["1:3: found no matching overload for '_==_' applied to '(int, null)'"],
  ],
  [
    "a negation of a string",
    "-s",
    ["1:1: found no matching overload for '-_' applied to '(string)'"],
  ],
  ["a not of a number", "!i", ["1:1: found no matching overload for '!_' applied to '(int)'"]],
  [
    "both sides of and are told",
    "i && s",
    ["1:1: expected type 'bool' but found 'int'", "1:6: expected type 'bool' but found 'string'"],
  ],
  [
    "a condition that is no bool",
    "i ? 1 : 2",
    ["1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  ],
  [
    "branches of different types",
    "true ? 1 : 'a'",
    ["1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  ],
  ["branches, one of them anything", "true ? 1 : d", "dyn"],
  ["membership", "1 in list", "bool"],
  [
    "membership of a string in a list of numbers",
    "s in list",
    ["1:3: found no matching overload for '@in' applied to '(string, list(int))'"],
  ],
  ["membership in a map", "'a' in map", "bool"],
  [
    "membership in a number",
    "1 in i",
    ["1:3: found no matching overload for '@in' applied to '(int, int)'"],
  ],
  [
    "a function that is not declared",
    "f(1)",
    ["1:2: undeclared reference to 'f' (in container '')"],
  ],
  [
    "a method that is not declared",
    "s.f()",
    ["1:4: undeclared reference to 'f' (in container '')"],
  ],
  [
    "a method of another type",
    "i.startsWith('a')",
    ["1:13: found no matching overload for 'startsWith' applied to 'int.(string)'"],
  ],
  [
    "a function with the wrong number of arguments",
    "size()",
    ["1:5: found no matching overload for 'size' applied to '()'"],
  ],
  [
    "a method is no function",
    "startsWith('a', 'b')",
    ["1:11: found no matching overload for 'startsWith' applied to '(string, string)'"],
  ],
  [
    "a function is no method",
    "s.isURL()",
    ["1:8: found no matching overload for 'isURL' applied to 'string.()'"],
  ],
  ["a function with dots", "optional.of(1)", "optional_type(int)"],
  [
    "a function with dots that is not declared",
    "optional.nope(1)",
    [
      "1:1: undeclared reference to 'optional' (in container '')",
      "1:14: undeclared reference to 'nope' (in container '')",
    ],
  ],
  ["an empty list", "[]", "list(dyn)"],
  ["a list", "[1, 2]", "list(int)"],
  ["elements of different types", "[1, 'a']", ["1:5: expected type 'int' but found 'string'"]],
  ["an element that is anything", "[1, d]", ["1:5: expected type 'int' but found 'dyn'"]],
  ["an empty map", "{}", "map(dyn, dyn)"],
  ["a map", "{'a': 1}", "map(string, int)"],
  ["keys of different types", "{'a': 1, 2: 3}", ["1:10: expected type 'string' but found 'int'"]],
  [
    "values of different types",
    "{'a': 1, 'b': 's'}",
    ["1:15: expected type 'int' but found 'string'"],
  ],
  ["lists in lists", "[[1], []]", "list(list(int))"],
  ["an optional element", "[?opt, 1]", "list(int)"],
  [
    "an optional element that is none",
    "[?i]",
    ["1:3: expected type 'optional_type(int)' but found 'int'"],
  ],
  ["an optional entry", "{?'a': opt}", "map(string, int)"],
  [
    "an optional entry that is none",
    "{?'a': i}",
    ["1:8: expected type 'optional_type(int)' but found 'int'"],
  ],
  [
    "a message that is not declared",
    "Nope{}",
    ["1:5: undeclared reference to 'Nope' (in container '')"],
  ],
  ["a message", "Thing{name: 'a', size: 1}", "Thing"],
  [
    "a field of a message of another type",
    "Thing{size: 'a'}",
    ["1:11: expected type of field 'size' is 'int' but provided type is 'string'"],
  ],
  ["a field of a message that is not declared", "Thing{nope: 1}", ["1:11: undefined field 'nope'"]],
  ["a message of a variable", "self{}", ["1:5: 'Thing' is not a type"]],
  ["a message of a type that has no fields", "int{}", ["1:4: 'int' is not a message type"]],
  ["a wrapped number", "google.protobuf.Int64Value{value: 1}", "wrapper(int)"],
  ["a wrapped number is a number or null", "google.protobuf.Int64Value{value: 1} == null", "bool"],
  ["a type", "type(i)", "type(int)"],
  ["the name of a type", "int", "type(int)"],
  ["a comparison of types", "type(i) == int", "bool"],
  ["a conversion", "string(i) + string(1.5) + string(true)", "string"],
  [
    "a conversion that there is not",
    "int(true)",
    ["1:4: found no matching overload for 'int' applied to '(bool)'"],
  ],
  ["anything can be anything", "dyn(1)", "dyn"],
  ["a quantifier", "list.all(x, x > 0)", "bool"],
  [
    "a quantifier that is no bool",
    "list.all(x, x)",
    ["1:13: expected type 'bool' but found 'int'"],
  ],
  ["a quantifier over a map is over keys", "map.exists(k, k == 'a')", "bool"],
  [
    "a quantifier over a number",
    "i.all(x, true)",
    [
      "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
  ],
  [
    "a quantifier over any",
    "any.all(x, true)",
    [
      "1:1: expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
  ],
  ["a quantifier over anything", "d.all(x, x == 1)", "bool"],
  ["a name of a quantifier hides others", "list.all(s, s > 0)", "bool"],
  [
    "a name of a quantifier is known only in it",
    "list.all(x, true) && x",
    ["1:22: undeclared reference to 'x' (in container '')"],
  ],
  ["map changes types", "list.map(x, string(x))", "list(string)"],
  ["filter does not", "list.filter(x, x > 0)", "list(int)"],
  ["the count of one", "list.exists_one(x, x == 1)", "bool"],
  ["index and value", "list.all(n, v, n < v)", "bool"],
  ["key and value", "map.transformMap(k, v, k + string(v))", "map(string, string)"],
  ["a list of a map", "map.transformList(k, v, v)", "list(int)"],
  ["entries of a list", "list.transformMapEntry(n, v, {v: n})", "map(int, int)"],
  ["a value that may be missing", "opt.value()", "int"],
  ["another for a missing value", "opt.orValue(1)", "int"],
  [
    "another of another type",
    "opt.orValue('a')",
    ["1:12: found no matching overload for 'orValue' applied to 'optional_type(int).(string)'"],
  ],
  ["a computed optional", "opt.optMap(x, string(x))", "optional_type(string)"],
  ["a computed optional of optionals", "opt.optFlatMap(x, list[?x])", "optional_type(int)"],
  [
    "an optional is no number",
    "opt + 1",
    ["1:5: found no matching overload for '_+_' applied to '(optional_type(int), int)'"],
  ],
])("check: %s", (_, text, type) => {
  expect(typeOf(text)).toEqual(type);
});

test("check: names are written out, and calls know which ways fit", () => {
  const compiled = compile(environment, ".a.b + size(d)");
  if ("error" in compiled) throw new Error(compiled.error);
  expect(compiled.expr).toMatchObject({
    function: "_+_",
    args: [{ kind: "ident", name: "a.b" }, { function: "size" }],
  });
  expect([...compiled.references.values()]).toEqual(
    expect.arrayContaining([
      { name: "a.b", overloads: [] },
      { overloads: ["size_bytes", "size_list", "size_map", "size_string"] },
      { overloads: ["add_int64"] },
    ]),
  );
});
