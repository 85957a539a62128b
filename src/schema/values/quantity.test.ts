import { expect, test } from "vitest";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  type QuantityFormat,
  quantityAsNumber,
  quantityFromJson,
  quantityMilliValue,
  quantityOf,
  quantitySign,
  quantityValue,
  roundUpQuantity,
  subtractQuantities,
} from "./quantity.ts";

const canonicalForms: Record<string, string> = {
  // In its form already.
  "0": "0",
  "1": "1",
  "100m": "100m",
  "1500M": "1500M",
  "1Ki": "1Ki",
  "8Mi": "8Mi",
  "1e3": "1e3",
  "12E": "12E",
  "80e-3": "80e-3",
  "9223372036854775807": "9223372036854775807",
  // In another of the same family.
  "00": "0",
  "0Mi": "0",
  "-0": "0",
  "0.5": "500m",
  ".5": "500m",
  "1.": "1.",
  "1.G": "1.G",
  "1.5": "1500m",
  "1000": "1k",
  "1000000": "1M",
  "100.035k": "100.035k",
  "0.001T": "1G",
  "1024Mi": "1Gi",
  "307200Ki": "300Mi",
  "0.5Gi": "512Mi",
  "1.5Gi": "1536Mi",
  "1024Pi": "1Ei",
  ".001e12": "1e9",
  "0.001e0": "1e-3",
  "1000e-12": "1e-9",
  "1e14": "100e12",
  "1E+1": "10",
  "1.3E+6": "1300e3",
  "12345678901234567890": "12345678901234567890",
  "1000000000000000000000": "1",
  "100000000000000000000e3": "100e21",
  // In another family, where its own would hide digits.
  "0.1Gi": "107374182400m",
  ".001Ki": "1024m",
  "0.5Ki": "512",
  ".000000000001Ki": "2n",
  // Rounded up below nano, cut off above int64.
  "3.001n": "4n",
  "0.0000000001": "1n",
  "1.1E-9": "2e-9",
  "1e-2147483648": "1e-9",
  "9Ei": "9223372036854775807",
  "9223372036854775807Ki": "9223372036854775807",
  // Kept as it was written, since it is read the same.
  "1.500": "1.500",
  "+1": "+1",
  "0001": "0001",
  "1E6": "1E6",
  // Nothing counts as zero.
  Mi: "0",
  "+": "0",
  ".": "0",
};

test("canonicalQuantity: writes as Kubernetes does", () => {
  const got = Object.keys(canonicalForms).map((text) => [text, canonicalQuantity(text)]);
  expect(Object.fromEntries(got)).toEqual(canonicalForms);
});

test("canonicalQuantity: what it takes for canonical is so", () => {
  const digits = ["1", "10", "100", "1000", "1023", "2048", "99999", "123456789012345", "1001000"];
  const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti"];
  const all = digits.flatMap((number) => suffixes.map((suffix) => number + suffix));
  expect(all.map(canonicalQuantity)).toEqual(
    all.map((text) => formatQuantity(parseQuantity(text))),
  );
});

test("canonicalQuantity: a negative amount mirrors the positive one", () => {
  const all = ["1.5Gi", "1000", "0.0000000001", "9Ei", "1e14", "0.1Gi"];
  expect(all.map((text) => canonicalQuantity(`-${text}`))).toEqual(
    all.map((text) => `-${canonicalQuantity(text)}`),
  );
});

const shape =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffix = "unable to parse quantity's suffix";
const number = "unable to parse numeric part of quantity";

test.each([
  ["", shape],
  ["aoeu", shape],
  ["1.1.M", shape],
  ["1+1.0M", shape],
  ["0.1am", shape],
  [" 1", shape],
  ["1 ", shape],
  ["1\n", shape],
  ["--1", suffix],
  ["0.1mi", suffix],
  [".5i", suffix],
  ["1i", suffix],
  ["-3.01e-", suffix],
  ["1K", suffix],
  ["1-3", suffix],
  ["1e9223372036854775808", suffix],
  ["Ei", number],
  ["e-10", number],
])("parseQuantity: %j is refused", (text, message) => {
  expect(() => parseQuantity(text)).toThrow(new SyntaxError(message));
});

test("quantityFromJson: numbers, blanks around and null are taken", () => {
  const values = [1, 0.5, -2000, " 1000 ", null, 12n];
  expect(values.map(quantityFromJson)).toEqual(["1", "500m", "-2k", "1k", "0", "12"]);
  for (const value of [true, {}, [1], undefined]) {
    expect(() => quantityFromJson(value)).toThrow(new SyntaxError(shape));
  }
});

test.each<[number, number, QuantityFormat, string]>([
  [1024 * 1024, -3, "BinarySI", "1048576m"],
  [1234567, -3, "BinarySI", "1234567m"],
  [1025, 0, "BinarySI", "1025"],
  [5, 0, "BinarySI", "5"],
  [10800, -4, "DecimalSI", "1080m"],
  [1000000, -3, "DecimalExponent", "1e3"],
  [1, 21, "DecimalSI", "1"],
  [3, 3, "BinarySI", "3000"],
])("formatQuantity: %d × 10^%d as %s is %s", (mantissa, scale, format, want) => {
  expect(formatQuantity(quantityOf(mantissa, format, scale))).toBe(want);
});

test.each([
  ["1", "1000m", 0],
  ["1", "1001m", -1],
  ["1Gi", "1G", 1],
  ["-1", "1", -1],
  ["-2", "-1", -1],
  ["-1e2", "-1e1", -1],
  ["0", "1n", -1],
  ["1e2000000000", "2", 1],
  ["-1e2000000000", "2", -1],
  ["1n", "1e2000000000", -1],
  ["9223372036854775807", "9223372036854775806", 1],
  ["0", "0Ki", 0],
])("compareQuantities: %s against %s", (a, b, want) => {
  expect(compareQuantities(parseQuantity(a), parseQuantity(b))).toBe(want);
});

test.each([
  ["1", "1", "2"],
  ["1Gi", "1Gi", "2Gi"],
  ["1Ki", "1", "1025"],
  ["0", "1Gi", "1Gi"],
  ["0Mi", "1500m", "1500m"],
  ["500m", "500m", "1"],
  ["1", "1m", "1001m"],
  ["1e3", "1k", "2e3"],
  ["9007199254740991", "2", "9007199254740993"],
  ["7Ei", "7Ei", "14Ei"],
  ["1", "-1", "0"],
])("addQuantities: %s and %s are %s", (a, b, want) => {
  const sum = addQuantities(parseQuantity(a), parseQuantity(b));
  const back = subtractQuantities(sum, parseQuantity(b));
  expect([formatQuantity(sum), compareQuantities(back, parseQuantity(a))]).toEqual([want, 0]);
});

test.each([
  ["0", { sign: 0, value: 0, milli: 0, number: 0 }],
  ["1500m", { sign: 1, value: 2, milli: 1500, number: 1.5 }],
  ["-1500m", { sign: -1, value: -2, milli: -1500, number: -1.5 }],
  ["1n", { sign: 1, value: 1, milli: 1, number: 1e-9 }],
  ["100.035k", { sign: 1, value: 100035, milli: 100035000, number: 100035 }],
  ["1Gi", { sign: 1, value: 2 ** 30, milli: 2 ** 30 * 1000, number: 2 ** 30 }],
  ["1e-3", { sign: 1, value: 1, milli: 1, number: 0.001 }],
  [
    "12345678901234567.5",
    { sign: 1, value: 12345678901234568, milli: 12345678901234567000, number: 12345678901234568 },
  ],
])("quantity: %s in numbers", (text, want) => {
  const quantity = parseQuantity(text);
  const got = {
    sign: quantitySign(quantity),
    value: quantityValue(quantity),
    milli: quantityMilliValue(quantity),
    number: quantityAsNumber(quantity),
  };
  expect(got).toEqual(want);
});

test("negateQuantity: nothing has no sign", () => {
  const zero = negateQuantity(parseQuantity("0"));
  expect([
    Object.is(zero.mantissa, 0),
    formatQuantity(negateQuantity(parseQuantity("1Gi"))),
  ]).toEqual([true, "-1Gi"]);
});

test.each([
  ["1500m", "1500m"],
  ["1.500", "1.500"],
  ["1n", "1m"],
  ["-1500001u", "-1501m"],
  ["1Gi", "1Gi"],
  ["0.0000000001Ki", "1m"],
])("roundUpQuantity: %s in thousandths is %s", (text, want) => {
  expect(formatQuantity(roundUpQuantity(parseQuantity(text), -3))).toBe(want);
});
