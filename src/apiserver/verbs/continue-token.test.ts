import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("encodeContinue: a token is upstream's, safe in a query, and read again", () => {
  for (const token of [
    { revision: 5, start: "default/a\0" },
    { revision: -1, start: "é?>~\0" },
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

test("decodeContinue: a key may begin with a slash", () => {
  const token = encode({ v: "meta.k8s.io/v1", rv: 5, start: "/default/a\0" });
  expect(decodeContinue(token)).toEqual({ revision: 5, start: "default/a\0" });
});

const version = { v: "meta.k8s.io/v1" };

each<[token: string, why: string]>([
  ["x", ": illegal base64 data at input byte 0"],
  ["abcde", ": illegal base64 data at input byte 4"],
  ["%%%", ": illegal base64 data at input byte 0"],
  ["e30=", ": illegal base64 data at input byte 3"],
  ["abc", ": invalid character 'i' looking for beginning of value"],
  [encode("text"), ": json: cannot unmarshal string into Go value of type storage.continueToken"],
  [encode([]), ": json: cannot unmarshal array into Go value of type storage.continueToken"],
  [encode(null), ": server does not recognize this encoded version "],
  [encode({}), ": server does not recognize this encoded version "],
  [encode({ v: "v2" }), ": server does not recognize this encoded version v2"],
  [
    encode({ v: 1 }),
    ": json: cannot unmarshal number into Go struct field continueToken.v of type string",
  ],
  [encode(version), ": incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
  [
    encode({ ...version, rv: 0, start: "a" }),
    ": incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [
    encode({ ...version, rv: "5", start: "a" }),
    ": json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
  ],
  [
    encode({ ...version, rv: 1.5, start: "a" }),
    ": json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64",
  ],
  [encode({ ...version, rv: 5 }), ": encoded start key empty (version meta.k8s.io/v1)"],
  [encode({ ...version, rv: 5, start: "../x" }), ": ../x"],
  [encode({ ...version, rv: 5, start: "/a//b" }), ": /a//b"],
])("decodeContinue: %s is refused", (token, why) => {
  expect(() => decodeContinue(token)).toThrow(StatusError);
  expect(() => decodeContinue(token)).toThrow(
    `invalid continue token: continue key is not valid${why}`,
  );
});
