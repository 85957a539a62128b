import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf } from "../../kind.test-support.ts";
import { ComponentStatus } from "./component-status.ts";

each<[rule: string, conditions: readonly object[], cells: readonly string[]]>([
  ["without a condition nothing is known", [], ["Unknown", "", ""]],
  [
    "what it says of itself is shown",
    [{ type: "Other" }, { type: "Healthy", status: "True", message: "ok" }],
    ["Healthy", "ok", ""],
  ],
  [
    "one of which nothing is known is not healthy",
    [{ type: "Healthy", status: "Unknown", error: "no answer" }],
    ["Unhealthy", "", "no answer"],
  ],
])("ComponentStatus: %s", (_, conditions, cells) => {
  expect(cellsOf(ComponentStatus, { conditions })).toEqual(cells);
});
