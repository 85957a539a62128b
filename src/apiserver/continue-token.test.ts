import { expect, test } from "vitest";
import { StatusError } from "../api/meta/v1/status-error.ts";
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

test.each([
  ["x", "illegal base64 data or not a token of this server"],
  ["%%%", "illegal base64 data or not a token of this server"],
  [encode("text"), "illegal base64 data or not a token of this server"],
  [encode(null), "illegal base64 data or not a token of this server"],
  [encode({}), 'server does not recognize this encoded version ""'],
  [
    encode({ v: "meta.k8s.io/v2" }),
    'server does not recognize this encoded version "meta.k8s.io/v2"',
  ],
  [
    encode({ v: "meta.k8s.io/v1" }),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [
    encode({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [
    encode({ v: "meta.k8s.io/v1", rv: "5", start: "a" }),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [encode({ v: "meta.k8s.io/v1", rv: 5 }), "encoded start key empty (version meta.k8s.io/v1)"],
  [
    encode({ v: "meta.k8s.io/v1", rv: 5, start: "../x" }),
    "encoded continue key is not in the expected format: ../x",
  ],
])("decodeContinue: %s is refused", (token, why) => {
  expect(() => decodeContinue(token)).toThrow(StatusError);
  expect(() => decodeContinue(token)).toThrow(`continue key is not valid: ${why}`);
});

test("decodeContinue: a version that is no whole number is refused", () => {
  for (const rv of [1.5, 1e300, null])
    expect(() => decodeContinue(encode({ v: "meta.k8s.io/v1", rv, start: "a" }))).toThrow(
      StatusError,
    );
});
