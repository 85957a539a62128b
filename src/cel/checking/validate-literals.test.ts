import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { planFault } from "../plan-fault.ts";
import { baseEnvironment } from "./environment.ts";

/** The first line of each error of an expression. */
function errorsOf(text: string): string[] {
  const compiled = compile(baseEnvironment(), text);
  if (!("error" in compiled)) return [];
  return compiled.error
    .split("\n")
    .filter((line) => line.startsWith("ERROR: "))
    .map((line) => line.replace("ERROR: <input>:", ""));
}

test.each<[rule: string, text: string, errors: string[]]>([
  ["a duration", "duration('1h30m')", []],
  ["a duration that is none", "duration('1x')", ["1:10: invalid duration argument"]],
  ["a number is no duration", "duration(1)", ["1:10: invalid duration argument"]],
  ["a duration that is computed", "duration('1' + 'x')", []],
  ["a time", "timestamp('2020-02-29T00:00:00Z')", []],
  ["a time of seconds", "timestamp(0)", []],
  ["a time that is none", "timestamp('2021-02-29')", ["1:11: invalid timestamp argument"]],
  ["a time too late", "timestamp(253402300800)", ["1:11: invalid timestamp argument"]],
  ["a time before all", "timestamp('0000-12-31T23:59:59Z')", ["1:11: invalid timestamp argument"]],
  ["a regular expression", "'a'.matches('[a-z]+')", []],
  ["a regular expression that is none", "'a'.matches('[')", ["1:13: invalid matches argument"]],
  ["of a function the text is looked at", "matches('[', 'a')", ["1:9: invalid matches argument"]],
  ["elements of a list of one type", "[1, 2, 3]", []],
  [
    "only the first other element is told",
    "[1, 'a', 'b']",
    ["1:5: expected type 'int' but found 'string'"],
  ],
  [
    "each other key and value is told",
    "{1: 2, 'a': 'b', 'c': 3}",
    [
      "1:8: expected type 'int' but found 'string'",
      "1:13: expected type 'int' but found 'string'",
      "1:18: expected type 'int' but found 'string'",
    ],
  ],
  ["lists in lists are looked at", "[[1, 'a']]", ["1:6: expected type 'int' but found 'string'"]],
  ["arguments of format may differ", "'%d %s'.format([1, 'a'])", []],
  ["and what is in them", "'%s'.format([[1, 'a']])", []],
  ["a percent sign by itself", "'100%%'.format([])", []],
  ["too few arguments", "'%d %d'.format([1])", ["1:15: index 1 out of range"]],
  [
    "too many arguments",
    "'%d'.format([1, 2])",
    ["1:12: too many arguments supplied to string.format (expected 1, got 2)"],
  ],
  ["a clause that is cut off", "'%'.format([1])", ["1:11: unexpected end of string"]],
  [
    "a clause that is none",
    "'%y'.format([1])",
    ['1:12: could not parse formatting clause: unrecognized formatting clause "y"'],
  ],
  ["a precision", "'%.3f %.0e'.format([1.5, 2.5])", []],
  [
    "a precision that is cut off",
    "'%.3'.format([1.5])",
    [
      "1:13: could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
    ],
  ],
  [
    "a precision without digits",
    "'%.f'.format([1.5])",
    [
      '1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
  ],
  [
    "a decimal clause",
    "'%d'.format(['a'])",
    [
      "1:14: error during formatting: decimal clause can only be used on integers, was given string",
    ],
  ],
  [
    "a fixed-point clause",
    "'%f'.format([1])",
    [
      "1:14: error during formatting: fixed-point clause can only be used on doubles, was given int",
    ],
  ],
  [
    "a scientific clause",
    "'%e'.format([true])",
    [
      "1:14: error during formatting: scientific clause can only be used on doubles, was given bool",
    ],
  ],
  [
    "a binary clause",
    "'%b'.format(['a'])",
    [
      "1:14: error during formatting: only integers and bools can be formatted as binary, was given string",
    ],
  ],
  [
    "a hexadecimal clause",
    "'%X'.format([1.5])",
    [
      "1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double",
    ],
  ],
  [
    "an octal clause",
    "'%o'.format([1.5])",
    ["1:14: error during formatting: octal clause can only be used on integers, was given double"],
  ],
  [
    "a string clause",
    "'%s'.format([quantity('1')])",
    [
      "1:22: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
  ],
  ["a string clause takes all else", "'%s %s'.format([[1, null], {'a': duration('1s')}])", []],
  ["what is anything is taken", "'%d'.format([dyn('a')])", []],
])("validateLiterals: %s", (_, text, errors) => {
  expect(errorsOf(text)).toEqual(errors);
});

test.each<[rule: string, text: string, fault: string | undefined]>([
  ["a number", "int('1') + int('+2') + int('-3')", undefined],
  ["a number that is none", "int('a')", "type conversion error from 'string' to 'int'"],
  [
    "a number that is too large",
    "int('9223372036854775808')",
    "type conversion error from 'string' to 'int'",
  ],
  ["a negative unsigned number", "uint('-1')", "type conversion error from 'string' to 'uint'"],
  ["a negative number", "uint(-1)", "unsigned integer overflow"],
  ["a large unsigned number", "int(18446744073709551615u)", "integer overflow"],
  ["a large double", "int(1e19)", "integer overflow"],
  ["a negative double", "uint(-1.5)", "unsigned integer overflow"],
  ["a double", "double('1.5e3') + double('inf') + double('0x1p-2')", undefined],
  ["a double that is none", "double('a')", "type conversion error from 'string' to 'double'"],
  ["a bool", "bool('t') && bool('FALSE')", undefined],
  ["a bool that is none", "bool('yes')", "type conversion error from 'string' to 'bool'"],
  [
    "bytes that are no text",
    "string(b'\\xff')",
    "invalid UTF-8 in bytes, cannot convert to string",
  ],
  [
    "a conversion of a conversion",
    "int(string(bytes('a')))",
    "type conversion error from 'string' to 'int'",
  ],
  ["a conversion of something else", "int(string([1][0]))", undefined],
  [
    "what is never evaluated",
    "true ? 1 : int('a')",
    "type conversion error from 'string' to 'int'",
  ],
  ["in a fold", "[1].all(x, x == int('a'))", "type conversion error from 'string' to 'int'"],
  ["a pattern of find", "'a'.find('(')", "error parsing regexp: missing closing ): `(`"],
  [
    "a pattern of findAll",
    "'a'.findAll('*', 1)",
    "error parsing regexp: missing argument to repetition operator: `*`",
  ],
  [
    "the pattern of matches as a function",
    "matches('a', '[')",
    "error parsing regexp: missing closing ]: `[`",
  ],
  ["a pattern that is computed", "'a'.find('(' + '')", undefined],
])("planFault: %s", (_, text, fault) => {
  const compiled = compile(baseEnvironment(), text);
  if ("error" in compiled) throw new Error(compiled.error);
  expect(planFault(compiled)).toBe(fault);
});
