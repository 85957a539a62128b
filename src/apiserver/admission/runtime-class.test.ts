import { expect, test } from "vitest";
import { admitted } from "./attributes.test-support.ts";
import { runtimeClass } from "./runtime-class.ts";

test.each([
  ["CREATE", {}, {}],
  ["CREATE", { overhead: {} }, { overhead: {} }],
  [
    "CREATE",
    { runtimeClassName: "x" },
    'pods "a" is forbidden: pod rejected: RuntimeClass "x" not found',
  ],
  [
    "CREATE",
    { overhead: { cpu: "1" } },
    'pods "a" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  ["UPDATE", { runtimeClassName: "x" }, { runtimeClassName: "x" }],
] as const)("runtimeClass: %s of %j", async (operation, spec, wanted) => {
  expect(await admitted(runtimeClass, { operation, spec })).toEqual(wanted);
});
