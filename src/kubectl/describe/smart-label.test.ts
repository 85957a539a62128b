import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { smartLabel } from "./smart-label.ts";

each<{ field: string; label: string }>([
  { field: "apiVersion", label: "API Version" },
  { field: "podCIDRs", label: "Pod CIDRs" },
  { field: "uid", label: "UID" },
  { field: "HTTPServer", label: "HTTPServer" },
  { field: "getURL", label: "Get URL" },
  { field: "kebab-case", label: "Kebab - Case" },
  { field: "snake_case", label: "snake_case" },
  { field: "with.dot", label: "with.dot" },
  { field: "num1", label: "num1" },
  { field: "", label: "" },
])("smartLabel: $field is $label", ({ field, label }) => {
  expect(smartLabel(field)).toBe(label);
});
