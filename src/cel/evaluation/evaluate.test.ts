import { expect, test } from "vitest";
import { dynType } from "../checking/cel-type.ts";
import { baseEnvironment, bindings, extendEnvironment } from "../checking/environment.ts";
import { compile } from "../compile.ts";
import { CelMap, CelOptional, CelQuantity, type CelValue, CelVersion } from "./cel-value.ts";
import { evaluate } from "./evaluate.ts";

const environment = extendEnvironment(extendEnvironment(baseEnvironment(), bindings), {
  variables: { a: dynType, map: dynType },
});

function result(text: string): CelValue {
  const compiled = compile(environment, text);
  if ("error" in compiled) throw new Error(compiled.error);
  const map = new CelMap([
    ["one", 1n],
    ["text", "Hello"],
    ["list", [1n, 2n, 3n]],
    ["empty", new CelMap([], new CelMap([]))],
  ]);
  return evaluate(compiled, { a: 5n, map });
}

test.each<[string, boolean | bigint | number | string | null]>([
  ["true && !false", true],
  ["false && map.missing", false],
  ["map.missing && false", false],
  ["true || map.missing", true],
  ["map.missing || true", true],
  ["a > 3 ? 'more' : map.missing", "more"],
  ["a == 5 && a == 5.0 && a != 6", true],
  ["a == 'five'", false],
  ["1 < 1.5 && 2.5 >= 2", true],
  ["'b' > 'a' && 'Z' < 'a' && '\\U0001F600' > '\\uffff'", true],
  ["false < true", true],
  ["7 / 2 + 7 % 2 - 2 * 2", 0n],
  ["-7 / 2", -3n],
  ["-(1.5 * 2.0)", -3],
  ["null == null", true],
  ["'one' in map && !('two' in map)", true],
  ["2 in map.list && !(4 in map.list)", true],
  ["map['list'][1]", 2n],
  ["has(map.one) && !has(map.two)", true],
  ["map.empty.missing.size()", 0n],
  ["'missing' in map.empty", false],
  ["size('añ') + size([1]) + size({'a': 1})", 4n],
  ["map.text.startsWith('He') && map.text.endsWith('lo') && map.text.contains('ell')", true],
  ["map.text.matches('^[A-Z]el+o$')", true],
  ["map.text.lowerAscii() + map.text.upperAscii()", "helloHELLO"],
  ["[1, 2].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x == 2)", true],
  ["[dyn(1), dyn('a')].exists(x, x == 1 || x > 'A')", true],
  ["[dyn(1), dyn('a')].all(x, x > 'b')", false],
  ["[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]", true],
  ["{'a': 1, 'b': 2}.all(key, key in ['a', 'b'])", true],
  ["map.all(key, key != 'two')", true],
  ["cel.bind(x, map.one, x + x) == 2", true],
  ["cel.bind(x, map.missing, true)", true],
  ["map.?one.orValue(7) + map.?missing.orValue(7)", 8n],
  ["map[?'missing'].hasValue() || map.?one.hasValue()", true],
  ["map.?one.or(optional.of(2)).value()", 1n],
  ["optional.none().hasValue()", false],
  ["[?map.?one, ?map.?missing].size()", 1n],
  ["quantity('1Gi').compareTo(quantity('1024Mi'))", 0n],
  [
    "quantity('2').isGreaterThan(quantity('1500m')) && quantity('1').isLessThan(quantity('2'))",
    true,
  ],
  ["quantity('1Gi') == quantity('1024Mi')", true],
  ["quantity('2k').asInteger() + quantity('1').add(quantity('2')).sub(1).asInteger()", 2002n],
  ["isQuantity('1Gi') && !isQuantity('a') && !quantity('1500m').isInteger()", true],
  ["semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))", true],
  ["semver('1.10.0').compareTo(semver('1.9.0'))", 1n],
  ["semver('1.0.0-alpha.2').isLessThan(semver('1.0.0-alpha.10'))", true],
  ["semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch()", 6n],
  ["isSemver('1.2.3') && !isSemver('1.2')", true],
])("evaluate: %s is %s", (text, expected) => {
  expect(result(text)).toBe(expected);
});

test.each([
  ["map.missing", "no such key: missing"],
  ["map['missing'] == 1", "no such key: missing"],
  ["[1][3] == 1", "index out of bounds: 3"],
  ["a > 'b'", "no such overload"],
  ["a && true", "no such overload"],
  ["a / 0", "division by zero"],
  ["a % 0", "modulus by zero"],
  ["9223372036854775807 + a", "integer overflow"],
  ["a.matches('x')", "no such overload"],
  ["map.text.matches('(' + 'x')", "error parsing regexp: missing closing ): `(x`"],
  ["optional.none().value()", "optional.none() dereference"],
  ["[map].all(x, x.missing)", "no such key: missing"],
  ["quantity(map.text)", "quantities must match the regular expression"],
  ["a == 2u", "a literal of type uint is not supported"],
  ["ip('10.0.0.1') == ip('10.0.0.1')", "the function ip is not supported"],
  ["'a'.split(',') == ['a']", "the function split is not supported"],
  ["semver('1.2', true).major()", "the function semver is not supported"],
  ["type(a) == int", "is not supported"],
])("evaluate: %s has no value: %s", (text, message) => {
  expect(() => result(text)).toThrow(message);
});

test("evaluate: what cannot be evaluated does not matter where the rest decides", () => {
  expect(result("false && ip('10.0.0.1') == ip('10.0.0.1')")).toBe(false);
});

test("evaluate: a fold in a fold in a fold ends", () => {
  const list = `[${"0,".repeat(200)}0]`;
  expect(() => result(`${list}.all(x, ${list}.all(y, ${list}.all(z, x + y + z == 0)))`)).toThrow(
    "operation cancelled: actual cost limit exceeded",
  );
});

test("evaluate: values of other kinds are values, too", () => {
  expect(result("map.?one")).toEqual(new CelOptional(1n));
  expect(result("quantity('1')")).toBeInstanceOf(CelQuantity);
  expect(result("semver('1.0.0')")).toBeInstanceOf(CelVersion);
});
