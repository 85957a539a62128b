import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { encodePaxRecords, parsePaxRecords } from "./pax-records.ts";

each<[what: string, key: string, value: string, length: number]>([
  ["a short value", "a", "b", 6],
  ["a length whose digits make it longer", "path", "x".repeat(90), 99],
  ["three digits", "path", "x".repeat(91), 101],
  ["an empty value", "path", "", 8],
  ["equal signs and newlines", "SCHILY.xattr.user.x", "a=b\nc", 29],
  ["binary values", "SCHILY.xattr.security.capability", "\0\x01\xff\0", 41],
])("pax records: %s", (_what, key, value, length) => {
  const records = new Map([
    [key, value],
    ["last", "one"],
  ]);
  const body = encodePaxRecords(records);
  expect(Number.parseInt(body.toString("latin1"), 10)).toBe(length);
  expect(parsePaxRecords(body)).toEqual(records);
});

each<[body: string]>([
  ["garbage"],
  ["5 a=b\n"],
  ["7 a=b\n"],
  ["6 a=b "],
  ["5 =b\n"],
  ["5 ab\n"],
  ["-6 a=b\n"],
  ["0 a=b\n"],
  ["99999999999 a=b\n"],
  ["6a=b\n"],
])("parsePaxRecords: refuses %j", (body) => {
  expect(() => parsePaxRecords(Buffer.from(body))).toThrow("pax records cannot be parsed");
});
