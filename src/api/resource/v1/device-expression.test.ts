import { expect, test } from "vitest";
import { created, updated } from "../written.test-support.ts";
import { DeviceClass } from "./device-class.ts";
import { compileDeviceExpression, deviceExpressionFault } from "./device-expression.ts";

/** What is wrong with an expression, on one line, without the text and the mark below it. */
function faultOf(expression: string, stored = false): string | undefined {
  const fault = deviceExpressionFault(expression, { stored });
  return fault && Object.values(fault).join("").split("\n")[0];
}

test.each<[rule: string, expression: string, maxCost: number]>([
  ["a constant", "true", 0],
  ["the driver", "device.driver == 'gpu.example.com'", 4],
  ["an attribute may be a bool", "device.attributes['gpu.example.com'].healthy", 4],
  ["an attribute may be a number", "device.attributes['gpu.example.com'].size > 3", 5],
  ["an attribute may be a string", "device.attributes['d'].name.startsWith('a')", 5],
  ["an attribute may be a version", "device.attributes['d'].v.isGreaterThan(semver('0.0.1'))", 6],
  ["a domain need not be there", "'d' in device.attributes && 'a' in device.attributes['d']", 7],
  ["a capacity is a quantity", "device.capacity['d'].memory.compareTo(quantity('1Gi')) >= 0", 7],
  ["allocations may be shared", "device.allowMultipleAllocations == true", 3],
  ["values can be named", "cel.bind(a, device.attributes['d'], a.x == a.y)", 24],
  ["all attributes are at most 32", "device.attributes['d'].all(k, k != 'x')", 164],
])("compileDeviceExpression: %s", (_, expression, maxCost) => {
  const compiled = compileDeviceExpression(expression, { stored: false });
  expect("maxCost" in compiled ? compiled.maxCost : compiled).toBe(maxCost);
});

test.each<[rule: string, expression: string, fault: string]>([
  ["no number", "1 + 1", "must evaluate to bool or the unknown type, not int"],
  [
    "no map",
    "device.attributes['d']",
    "must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)",
  ],
  [
    "nothing of any type but a value",
    "dyn(true)",
    "must evaluate to bool or the unknown type, not dyn",
  ],
  [
    "no other variables",
    "self.driver == ''",
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')",
  ],
  [
    "no other fields",
    "device.name == ''",
    "compilation failed: ERROR: <input>:1:7: undefined field 'name'",
  ],
  [
    "no numbers for the driver",
    "device.driver == 1",
    "compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'",
  ],
  [
    "no functions of later versions",
    "device.attributes['d'].a.includes('x')",
    "compilation failed: ERROR: <input>:1:34: undeclared reference to 'includes' (in container '')",
  ],
  [
    "no constants that cannot be converted",
    "device.driver == string(int('a'))",
    "program instantiation failed: type conversion error from 'string' to 'int'",
  ],
  [
    "nothing that costs too much",
    "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b && c == d))))",
    "too complex, exceeds cost limit",
  ],
])("deviceExpressionFault: %s", (_, expression, fault) => {
  expect(faultOf(expression)).toBe(fault);
});

test("deviceExpressionFault: a stored expression may use functions of later versions", () => {
  expect(faultOf("device.attributes['d'].a.includes('x')", true)).toBe(undefined);
});

const selecting = (...expressions: string[]) => ({
  spec: { selectors: expressions.map((expression) => ({ cel: { expression } })) },
});

test("DeviceClass: each selector is compiled, and a long one is not", () => {
  const { errors } = created(DeviceClass, selecting("true", "device.x", " ".repeat(10_241)));
  expect(errors).toEqual([
    "spec.selectors[1].cel.expression: Invalid value: \"device.x\": compilation failed: ERROR: <input>:1:7: undefined field 'x'\n | device.x\n | ......^",
    "spec.selectors[2].cel.expression: Too long: may not be more than 10240 bytes",
  ]);
});

test("DeviceClass: selectors that do not change are stored ones", () => {
  const later = "device.attributes['d'].a.includes('x')";
  const { object: old } = created(DeviceClass, selecting(later));
  const unchanged = updated(DeviceClass, old, { body: selecting(later) });
  const more = updated(DeviceClass, old, { body: selecting(later, "true") });
  expect(unchanged.errors).toEqual([]);
  expect(more.errors).toEqual([
    expect.stringContaining("undeclared reference to 'includes' (in container '')"),
  ]);
});
