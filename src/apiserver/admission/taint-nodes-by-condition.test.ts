import { expect, test } from "vitest";
import { admitted } from "./attributes.test-support.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const other = { key: "a", effect: "NoExecute" };

test.each([
  ["CREATE", "Node", {}, { taints: [taint] }],
  ["CREATE", "Node", { taints: [other] }, { taints: [other, taint] }],
  ["CREATE", "Node", { taints: [taint] }, { taints: [taint] }],
  [
    "CREATE",
    "Node",
    { taints: [{ ...taint, effect: "NoExecute" }] },
    { taints: [{ ...taint, effect: "NoExecute" }, taint] },
  ],
  ["UPDATE", "Node", {}, {}],
  ["CREATE", "Pod", {}, {}],
] as const)("taintNodesByCondition: %s of a %s with %j", async (operation, kind, spec, wanted) => {
  expect(await admitted(taintNodesByCondition, { operation, kind, spec })).toEqual(wanted);
});
