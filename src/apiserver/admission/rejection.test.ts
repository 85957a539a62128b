import { expect, test } from "vitest";
import { attributes } from "./attributes.test-support.ts";
import { rejection } from "./rejection.ts";

test.each([
  ["the name of the request", { address: { name: "x" } }, 'pods "x" is forbidden: no'],
  ["the name in the object", { address: { name: "" } }, 'pods "a" is forbidden: no'],
  [
    "the beginning of a name that is to be generated",
    { address: { name: "" }, metadata: { name: undefined, generateName: "web-" } },
    'pods "web-" is forbidden: no',
  ],
  [
    "nothing where there is no name at all",
    { address: { name: "" }, metadata: { name: undefined } },
    'pods "Unknown" is forbidden: no',
  ],
  [
    "nothing where a collection is deleted",
    { operation: "DELETE", address: { name: "" } },
    'pods "Unknown" is forbidden: no',
  ],
] as const)("rejection: it names %s", (_, given, wanted) => {
  const error = rejection(attributes(given), "no");
  expect([error.message, error.code]).toEqual([wanted, 403]);
});
