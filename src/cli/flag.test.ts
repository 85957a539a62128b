import { expect, test } from "vitest";
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  type Flag,
  floatFlag,
  intFlag,
  ipFlag,
  pairsFlag,
  stringArrayFlag,
  stringFlag,
  stringsFlag,
  valueFlag,
} from "./flag.ts";

const usage = "does something";

/** The value of a flag after these texts, one after the other. */
function read<T>(flag: Flag<T>, ...texts: readonly string[]): T | string {
  try {
    return texts.reduce<T | undefined>((before, text) => flag.read(text, before), undefined) as T;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  ["1", true],
  ["t", true],
  ["TRUE", true],
  ["False", false],
  ["0", false],
  ["yes", 'strconv.ParseBool: parsing "yes": invalid syntax'],
  ["", 'strconv.ParseBool: parsing "": invalid syntax'],
])("boolFlag: %s is %s", (text, expected) => {
  expect(read(boolFlag({ usage }), text)).toBe(expected);
});

test.each([
  ["10", 10],
  ["-10", -10],
  ["+1", 1],
  ["0", 0],
  ["-0", 0],
  ["0x1F", 31],
  ["0b11", 3],
  ["0o17", 15],
  ["017", 15],
  ["1_000", 1000],
  ["9007199254740991", 9007199254740991],
  ["9007199254740992", 'strconv.ParseInt: parsing "9007199254740992": value out of range'],
  ["08", 'strconv.ParseInt: parsing "08": invalid syntax'],
  ["0o", 'strconv.ParseInt: parsing "0o": invalid syntax'],
  ["1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  ["", 'strconv.ParseInt: parsing "": invalid syntax'],
  ["1 ", 'strconv.ParseInt: parsing "1 ": invalid syntax'],
])("intFlag: %s is %s", (text, expected) => {
  expect(read(intFlag({ usage }), text)).toBe(expected);
});

test.each([
  ["1m30s", 90_000],
  ["1.5ms", 1.5],
  ["0", 0],
  ["5", 'time: missing unit in duration "5"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
])("durationFlag: %s is %s", (text, expected) => {
  expect(read(durationFlag({ usage }), text)).toBe(expected);
});

test.each([
  [
    ["a,b", "c"],
    ["a", "b", "c"],
  ],
  [[""], []],
  [['"a,b",c'], ["a,b", "c"]],
])("stringsFlag: %j is %j", (texts, expected) => {
  expect(read(stringsFlag({ usage, default: ["replaced"] }), ...texts)).toEqual(expected);
});

test("stringArrayFlag: does not split values", () => {
  expect(read(stringArrayFlag({ usage }), "a,b", '"', "")).toEqual(["a,b", '"', ""]);
});

test.each([
  [
    ["a=1,b=2", "a=3"],
    new Map([
      ["a", "3"],
      ["b", "2"],
    ]),
  ],
  [["a=b,c"], new Map([["a", "b,c"]])],
  [["a="], new Map([["a", ""]])],
  [["a"], "a must be formatted as key=value"],
  [["a=1,b,c=2"], "b must be formatted as key=value"],
])("pairsFlag: %j", (texts, expected) => {
  expect(read(pairsFlag({ usage }), ...texts)).toEqual(expected);
});

test("choiceFlag: rejects other values, and lists the choices", () => {
  const flag = choiceFlag({ usage, default: "text", choices: ["text", "json"] });
  expect([read(flag, "json"), read(flag, "xml")]).toEqual(["json", "must be one of text, json"]);
});

test.each([
  [stringFlag({ usage }), ""],
  [stringFlag({ usage, default: "a" }), '"a"'],
  [boolFlag({ usage }), ""],
  [boolFlag({ usage, default: true }), "true"],
  [intFlag({ usage }), ""],
  [intFlag({ usage, default: 6443 }), "6443"],
  [durationFlag({ usage }), ""],
  [durationFlag({ usage, default: 5_400_000 }), "1h30m0s"],
  [stringsFlag({ usage }), ""],
  [stringsFlag({ usage, default: ["a", "b,c"] }), '[a,"b,c"]'],
  [pairsFlag({ usage, default: new Map([["a", "1"]]) }), "[a=1]"],
])("shownDefault: %#", (flag, expected) => {
  expect(flag.shownDefault).toBe(expected);
});

test.each([
  ["0.02", 0.02],
  ["-1", -1],
  [".5", 0.5],
  ["1e-3", 0.001],
  ["1.5.2", 'strconv.ParseFloat: parsing "1.5.2": invalid syntax'],
  ["", 'strconv.ParseFloat: parsing "": invalid syntax'],
  ["0x10", 'strconv.ParseFloat: parsing "0x10": invalid syntax'],
])("floatFlag: %s is %s", (text, expected) => {
  expect(read(floatFlag({ usage }), text)).toBe(expected);
});

test.each([
  ["10.0.0.1", "10.0.0.1"],
  [" 010.0.0.1 ", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["FE80:0::1", "fe80::1"],
  ["", ""],
  ["10.0.0", 'failed to parse IP: "10.0.0"'],
  ["localhost", 'failed to parse IP: "localhost"'],
])("ipFlag: %s is %s", (text, expected) => {
  expect(read(ipFlag({ usage }), text)).toBe(expected);
});

test("valueFlag: parses and formats its own notation", () => {
  const flag = valueFlag({
    usage,
    type: "pair",
    default: [1, 2],
    read: (text) => text.split(":").map(Number),
    show: (pair) => pair.join(":"),
  });
  expect([read(flag, "3:4"), flag.shownDefault, flag.type]).toEqual([[3, 4], "1:2", "pair"]);
});
