import { expect, test } from "vitest";
import { listOptions, parseListVersion, parseVersion, Query, writeOptions } from "./query.ts";

const message = (run: () => unknown): string => {
  try {
    return JSON.stringify(run());
  } catch (error) {
    return (error as Error).message;
  }
};

test("Query: the first value of a name counts, or all of them", () => {
  const query = new Query("a=1&a=2&b&c=%20+&d=x%3Dy");
  expect([
    query.text("a"),
    query.all("a"),
    query.has("b"),
    query.text("b"),
    query.text("c"),
    query.text("d"),
    query.has("e"),
  ]).toEqual(["1", ["1", "2"], true, "", "  ", "x=y", false]);
});

test.each([
  ["", undefined],
  ["f", true],
  ["f=", true],
  ["f=true", true],
  ["f=anything", true],
  ["f=false", false],
  ["f=FALSE", false],
  ["f=0", false],
])("Query: flag of %j", (text, wanted) => {
  expect(new Query(text).flag("f")).toEqual(wanted);
});

test.each([
  ["n=5", "5"],
  ["n=-5", "-5"],
  ["n=+5", 'strconv.ParseInt: parsing " 5": invalid syntax'],
  ["n=%2B5", "5"],
  ["n=", 'strconv.ParseInt: parsing "": invalid syntax'],
  ["n=5x", 'strconv.ParseInt: parsing "5x": invalid syntax'],
  ["n=1e3", 'strconv.ParseInt: parsing "1e3": invalid syntax'],
  [
    "n=99999999999999999999",
    'strconv.ParseInt: parsing "99999999999999999999": value out of range',
  ],
])("Query: integer of %j", (text, wanted) => {
  expect(message(() => new Query(text).integer("n"))).toEqual(wanted);
});

const invalidWrite = (field: string) => `UpdateOptions.meta.k8s.io "" is invalid: ${field}`;
test.each([
  ["", { dryRun: false, fieldManager: "", fieldValidation: "Warn", force: false }],
  [
    "dryRun=All&dryRun=All",
    { dryRun: true, fieldManager: "", fieldValidation: "Warn", force: false },
  ],
  [
    "fieldManager=me&fieldValidation=Strict",
    { dryRun: false, fieldManager: "me", fieldValidation: "Strict", force: false },
  ],
])("writeOptions: %j", (text, wanted) => {
  expect(writeOptions(new Query(text), "UpdateOptions")).toMatchObject(wanted);
});

test.each([
  ["", {}],
  [
    "dryRun=All&fieldManager=me&fieldValidation=Strict&pretty=1",
    { dryRun: ["All"], fieldManager: "me", fieldValidation: "Strict" },
  ],
])("writeOptions: the options in %j", (text, given) => {
  expect(writeOptions(new Query(text), "UpdateOptions").given).toEqual(given);
});

test.each([
  [
    "dryRun=All&dryRun=x",
    invalidWrite('dryRun: Unsupported value: ["All","x"]: supported values: "All"'),
  ],
  [
    "fieldValidation=warn",
    invalidWrite(
      'fieldValidation: Unsupported value: "warn": supported values: "", "Ignore", "Strict", "Warn"',
    ),
  ],
  [
    "fieldManager=a%00",
    invalidWrite('fieldManager: Invalid value: "a\\x00": invalid character U+0000 (at position 1)'),
  ],
  [`fieldManager=${"x".repeat(129)}`, /fieldManager: .*may not be more than 128 bytes/],
])("writeOptions: %j is refused", (text, wanted) => {
  expect(message(() => writeOptions(new Query(text), "UpdateOptions"))).toMatch(wanted);
});

test("writeOptions: force is for apply alone", () => {
  expect(message(() => writeOptions(new Query("force=true"), "PatchOptions"))).toEqual(
    'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  );
});

test("listOptions: absent options are empty, and a limit is never negative", () => {
  expect(listOptions(new Query("limit=-3"))).toEqual({
    labelSelector: "",
    fieldSelector: "",
    watch: false,
    allowWatchBookmarks: false,
    resourceVersion: "",
    resourceVersionMatch: "",
    timeoutSeconds: undefined,
    limit: 0,
    continue: "",
    sendInitialEvents: undefined,
  });
});

const forbidden = "resourceVersionMatch: Forbidden: ";
test.each([
  ["resourceVersion=1&resourceVersionMatch=Exact", undefined],
  ["watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan", undefined],
  [
    "continue=x&resourceVersion=1&resourceVersionMatch=Exact",
    `${forbidden}resourceVersionMatch is forbidden when continue is provided`,
  ],
  [
    "resourceVersionMatch=X",
    `[${forbidden}resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Unsupported value: "X": supported values: "Exact", "NotOlderThan", ""]`,
  ],
  ["sendInitialEvents=1", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
  ["watch=1&continue=x", `${forbidden}resourceVersionMatch is forbidden when continue is provided`],
  ["watch=1&continue=x&resourceVersion=5", undefined],
  [
    "watch=1&sendInitialEvents=0",
    `${forbidden}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
  ],
  [
    "watch=1&resourceVersionMatch=NotOlderThan",
    `${forbidden}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
  ],
])("listOptions: %s", (text, wanted) => {
  const seen = message(() => listOptions(new Query(text)));
  if (wanted === undefined) expect(seen).toMatch(/^\{/);
  else expect(seen).toEqual(`ListOptions.meta.k8s.io "" is invalid: ${wanted}`);
});

test("parseVersion: a version has 64 bits", () => {
  expect(message(() => parseVersion("18446744073709551616"))).toMatch(/: value out of range$/);
});

test("parseVersion: a version is a number, or none", () => {
  expect(["", "0", "12"].map(parseVersion)).toEqual([0, 0, 12]);
  expect(parseVersion("18446744073709551615")).toBe(2 ** 64);
  expect(message(() => parseVersion("18446744073709551616"))).toEqual(
    'resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
  );
  for (const text of ["x", "-1", "1.5", " 1"])
    expect(message(() => parseVersion(text))).toEqual(
      `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
    );
});

test("parseListVersion: of a list it is a bad request", () => {
  expect(parseListVersion("7")).toBe(7);
  expect(() => parseListVersion("x")).toThrow(
    expect.objectContaining({
      reason: "BadRequest",
      message:
        'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    }),
  );
});

test("Query: pairs with a semicolon or a broken escape are as if they had not been sent", () => {
  const query = new Query("a=1;b=2&c=%zz&%=4&d=%205&a=6");
  expect([query.text("a"), query.has("b"), query.has("c"), query.text("d")]).toEqual([
    "6",
    false,
    false,
    " 5",
  ]);
});
