import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { denial } from "./denial.ts";

const denied = 'admission webhook "w" denied the request';

each<[what: string, status: object | undefined, expected: object]>([
  ["no status", undefined, { message: `${denied} without explanation`, code: 400, reason: "" }],
  ["an empty status", {}, { message: `${denied} without explanation`, code: 400 }],
  ["a message", { message: "no", reason: "Gone" }, { message: `${denied}: no`, reason: "Gone" }],
  ["a reason only", { reason: "MyOwn" }, { message: `${denied}: MyOwn`, reason: "MyOwn" }],
  ["the code of a success", { code: 200 }, { code: 400 }],
  [
    "a code of its own",
    { code: 418, details: { name: "x" } },
    { code: 418, details: { name: "x" } },
  ],
  ["a code that HTTP does not have", { code: 1000 }, { code: 500 }],
])("denial: of %s", (_, status, expected) => {
  expect(denial("w", status)).toMatchObject(expected);
});
