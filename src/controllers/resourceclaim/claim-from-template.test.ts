import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { generateNameOf } from "./claim-from-template.ts";

each<[pod: string, claim: string, base: string]>([
  ["web", "gpu", "web-gpu-"],
  ["p".repeat(50), "c".repeat(5), `${"p".repeat(50)}-${"c".repeat(5)}-`],
  ["p".repeat(60), "c".repeat(60), `${"p".repeat(28)}-${"c".repeat(28)}`],
  ["p".repeat(100), "gpu", `${"p".repeat(54)}-g`],
])("generateNameOf: %s and %s", (pod, claim, base) => {
  expect(generateNameOf(pod, claim)).toBe(base);
});
