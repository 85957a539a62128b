import { expect, test } from "vitest";
import { applyDefaults } from "../../../schema/language/defaults.ts";
import { normalise } from "../../../schema/language/normalise.ts";
import { At } from "../../../schema/language/report.ts";
import { StatusError } from "../../meta/v1/status-error.ts";
import { write } from "../../write.test-support.ts";
import { TokenRequest, validateTokenRequest } from "./token-request.ts";
import { TokenReview } from "./token-review.ts";

const read = (spec: object): TokenRequest => {
  const request = normalise(TokenRequest, { spec })?.value as TokenRequest;
  applyDefaults(TokenRequest, request as never);
  return request;
};

const cases: readonly [rule: string, spec: object, errors: readonly string[]][] = [
  ["an hour, if nobody says", {}, []],
  ["ten minutes are enough", { expirationSeconds: 600 }, []],
  [
    "less than ten minutes are not",
    { expirationSeconds: 599 },
    ["Invalid value: 599: may not specify a duration less than 10 minutes"],
  ],
  ["2^32 seconds are not too many", { expirationSeconds: 2 ** 32 }, []],
  [
    "more than 2^32 seconds are",
    { expirationSeconds: 2 ** 32 + 1 },
    ["Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds"],
  ],
];
test.each(cases)("TokenRequest: %s", (_, spec, expected) => {
  const at = At.root();
  validateTokenRequest(read(spec), at);
  expect(at.errors.map(({ field, message }) => [field, message])).toEqual(
    expected.map((message) => ["spec.expirationSeconds", message]),
  );
});

test("TokenRequest: is valid for an hour, if nobody says", () => {
  expect(read({}).spec.expirationSeconds).toBe(3600);
});

test("TokenReview: asks about a token", () => {
  const { prepareCreate } = TokenReview.strategy;
  expect(() => prepareCreate?.({ spec: {} } as never, write)).toThrow(
    new StatusError("BadRequest", "token is required for TokenReview in authentication"),
  );
});
