import { expect, test } from "vitest";
import { intValue, parseIntOrString, percentValue, scaledValue } from "./int-or-string.ts";

test("parseIntOrString: an int32 is a number", () => {
  const texts = ["5", "-5", "+5", "007", "2147483647", "2147483648", "5%", "http", "", "1.5"];
  expect(texts.map(parseIntOrString)).toEqual([
    ...[5, -5, 5, 7, 2147483647],
    ...["2147483648", "5%", "http", "", "1.5"],
  ]);
});

test("intValue, percentValue: what a value spells", () => {
  const values = [7, "8", "9%", "x", "-1%"];
  expect([values.map(intValue), values.map(percentValue)]).toEqual([
    [7, 8, 0, 0, 0],
    [undefined, undefined, 9, undefined, undefined],
  ]);
});

test.each([
  [3, 10, 3, 3],
  ["25%", 10, 3, 2],
  ["0%", 10, 0, 0],
  ["110%", 10, 11, 11],
  ["29%", 100, 29, 29],
])("scaledValue: %s of %d is %d up, %d down", (value, total, up, down) => {
  expect([scaledValue(value, total, "up"), scaledValue(value, total, "down")]).toEqual([up, down]);
});

test.each([
  [undefined, "nil value for IntOrString"],
  ["5", "invalid value for IntOrString: invalid type: string is not a percentage"],
  [
    "x%",
    'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax',
  ],
])("scaledValue: %s is refused", (value, message) => {
  expect(() => scaledValue(value, 1, "up")).toThrow(new SyntaxError(message));
});
