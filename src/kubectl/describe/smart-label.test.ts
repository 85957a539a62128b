import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { smartLabel } from "./smart-label.ts";

each<[field: string, label: string]>([
  ["apiVersion", "API Version"],
  ["podCIDRs", "Pod CIDRs"],
  ["uid", "UID"],
  ["HTTPServer", "HTTPServer"],
  ["getURL", "Get URL"],
  ["kebab-case", "Kebab - Case"],
  ["snake_case", "snake_case"],
  ["with.dot", "with.dot"],
  ["num1", "num1"],
  ["", ""],
])("smartLabel: %s is %s", (field, label) => {
  expect(smartLabel(field)).toBe(label);
});
