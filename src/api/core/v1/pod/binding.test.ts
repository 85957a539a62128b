import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { created } from "../../../kind.test-support.ts";
import { Binding } from "./binding.ts";

each<[rule: string, target: object, errors: readonly string[]]>([
  ["a target without a kind is a node", { name: "n" }, []],
  [
    "a target is a node with a name",
    { kind: "Pod" },
    [
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      "target.name: Required value",
    ],
  ],
])("Binding: %s", (_, target, errors) => {
  expect(created(Binding, { target })).toEqual(errors);
});
