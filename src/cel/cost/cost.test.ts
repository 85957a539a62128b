import { expect, test } from "vitest";
import {
  boolType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
} from "../checking/cel-type.ts";
import { baseEnvironment, extendEnvironment } from "../checking/environment.ts";
import { compile } from "../compile.ts";
import { estimateCost } from "./cost.ts";

const environment = extendEnvironment(baseEnvironment(), {
  variables: {
    b: boolType,
    i: intType,
    s: stringType,
    u: stringType,
    list: listType(stringType),
    map: mapType(stringType, intType),
    authorizer: structType("kubernetes.authorization.Authorizer"),
  },
});

/** How large the values are at most; of `u` nothing is known. */
const sizes: Readonly<Record<string, number>> = {
  s: 100,
  list: 10,
  "list.@items": 20,
  map: 5,
  "map.@keys": 30,
};

/** A tenth of all that can be counted to: what it costs to read a string of unknown size. */
const unlimited = 2 ** 64 / 10;

test.each<[rule: string, text: string, min: number, max: number]>([
  ["a constant costs nothing", "1", 0, 0],
  ["a name costs one", "i", 1, 1],
  ["an operator costs one more", "i + 1", 2, 2],
  ["a test of a field costs what it is in", "has(map.a)", 1, 1],
  ["a field of a map costs one", "map.a", 2, 2],
  ["a list costs ten", "[1, 2]", 10, 10],
  ["a map costs thirty", "{1: 2}", 30, 30],
  ["a message costs forty", "google.protobuf.Int64Value{value: 1}", 40, 40],
  ["the shorter of two strings is compared", "s == 'abc'", 2, 2],
  ["strings of unknown size cost without end", "u == u", 3, unlimited + 2],
  ["joined strings are read", "s + s", 2, 22],
  ["a beginning is as long as what it is compared with", "s.startsWith('abcdefghijk')", 3, 3],
  ["a part is looked for everywhere", "s.contains('abcdefghijk')", 1, 21],
  ["a regular expression is applied everywhere", "s.matches('abcdefgh')", 3, 23],
  ["the second of and may not be evaluated", "b && s == 'abc'", 1, 3],
  ["one branch is evaluated", "b ? s == s : true", 1, 13],
  ["a list is searched", "'a' in list", 1, 11],
  ["a fold costs for each element", "list.all(x, x == 'a')", 2, 52],
  ["a fold over a map is over keys", "map.all(k, k == 'a')", 2, 27],
  ["folds in folds", "list.all(x, list.all(y, x == y))", 2, 752],
  ["the size of what map gives is that of its list", "list.map(x, x + x)[0] == s", 15, 198],
  ["what dyn hides costs one more", "dyn(i) == 1", 3, 3],
  ["an index knows the size of elements", "list[0] == s", 4, 5],
  ["lower case is as long", "s.lowerAscii() == s", 3, 22],
  ["a split is read twice", "s.split(',')", 1, 21],
  ["a join is as long as its parts", "list.join(',')", 1, 22],
  ["a replaced string may grow", "s.replace('a', 'bcd') == s", 3, 32],
  ["a found string", "s.find('abcd')", 2, 12],
  ["a URL is read", "url(s)", 1, 11],
  ["a set comparison is of each with each", "sets.contains(list, list)", 3, 103],
  ["a sorted list", "list.sort()", 12, 222],
  ["a slice is new", "list.slice(0, 3)", 15, 15],
  ["a quantity is read", "quantity(s).isGreaterThan(quantity('1'))", 3, 13],
  ["an address in a range", "cidr('10.0.0.0/8').containsIP(s)", 3, 16],
  ["a format is checked with a regular expression", "format.uri().validate(s)", 2, 322],
  ["an optional value", "list[?0].orValue('a')", 3, 3],
  ["a computed optional", "list[?0].optMap(x, x + 'a')", 4, unlimited + 2],
  ["index and value", "list.all(n, v, v == 'a')", 2, 52],
  ["an authorization costs much", "authorizer.path('/').check('get').allowed()", 350_003, 350_003],
])("estimateCost: %s", (_, text, min, max) => {
  const compiled = compile(environment, text);
  if ("error" in compiled) throw new Error(compiled.error);
  const estimated = estimateCost(compiled, {
    sizeOf: (path) => {
      const size = sizes[path.join(".")];
      return size === undefined ? undefined : { min: 0, max: size };
    },
  });
  expect(estimated.min).toBe(min);
  expect(estimated.max).toBe(max);
});

test("estimateCost: a function of an environment may have a cost of its own", () => {
  const compiled = compile(environment, "size(s)");
  if ("error" in compiled) throw new Error(compiled.error);
  const options = { sizeOf: () => undefined, callCost: () => ({ min: 7, max: 8 }) };
  expect(estimateCost(compiled, options)).toEqual({ min: 8, max: 9 });
});
