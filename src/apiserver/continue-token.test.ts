import { expect, test } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("encodeContinue: a token is upstream's, safe in a query, and read again", () => {
  for (const token of [
    { revision: 5, start: "/default/a\0" },
    { revision: -1, start: "/é?>~\0" },
  ]) {
    const text = encodeContinue(token);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(JSON.parse(Buffer.from(text, "base64url").toString())).toEqual({
      v: "meta.k8s.io/v1",
      rv: token.revision,
      start: token.start,
    });
    expect(decodeContinue(text)).toEqual(token);
  }
});

const wrong = (value: string, field: string, type: string) =>
  `json: cannot unmarshal ${value} into Go struct field continueToken.${field} of type ${type}`;
const v1 = "meta.k8s.io/v1";

test.each([
  ["x", "illegal base64 data at input byte 0"],
  ["abcde", "illegal base64 data at input byte 4"],
  ["ab=%", "illegal base64 data at input byte 2"],
  ["\u00e9\u00e9", "illegal base64 data at input byte 0"],
  ["YQ", "invalid character 'a' looking for beginning of value"],
  [encode("text"), "json: cannot unmarshal string into Go value of type storage.continueToken"],
  [encode(null), "server does not recognize this encoded version "],
  [encode({}), "server does not recognize this encoded version "],
  [
    encode({ v: "meta.k8s.io/v2" }),
    "server does not recognize this encoded version meta.k8s.io/v2",
  ],
  [encode({ v: v1 }), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
  [
    encode({ v: v1, rv: 0, start: "a" }),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [encode({ v: v1, rv: "5", start: "a" }), wrong("string", "rv", "int64")],
  [encode({ v: v1, rv: 1.5, start: "a" }), wrong("number 1.5", "rv", "int64")],
  [encode({ v: v1, rv: 5, start: {} }), wrong("object", "start", "string")],
  [encode({ v: v1, rv: 5 }), "encoded start key empty (version meta.k8s.io/v1)"],
  [encode({ v: v1, rv: 5, start: "../x" }), "../x"],
  [encode({ v: v1, rv: 5, start: "a/./b" }), "a/./b"],
  [encode({ v: v1, rv: 5, start: "a//b" }), "a//b"],
])("decodeContinue: %s is refused", (token, why) => {
  expect(() => decodeContinue(token)).toThrow(
    expect.objectContaining({
      reason: "BadRequest",
      message: `invalid continue token: continue key is not valid: ${why}`,
    }),
  );
});
