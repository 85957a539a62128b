import { expect, test } from "vitest";
import { groupName, groupTemplateName, workloadName } from "./gang-names.ts";

test("workloadName: the job and a hash of its uid, in 253 characters", () => {
  const uid = "8f1e5c3a-0000-4000-8000-000000000001";
  expect(workloadName("train", uid)).toMatch(/^train-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
  expect(workloadName("train", uid)).toBe(workloadName("train", uid));
  expect(workloadName("train", "other")).not.toBe(workloadName("train", uid));
  expect(workloadName("j".repeat(253), uid).length).toBe(253);
});

test.each([
  [10, 10, [10, 10]],
  [250, 10, [231, 10]],
  [10, 250, [10, 231]],
  [200, 200, [121, 120]],
])("groupName: of a workload of %i and a template of %i letters", (a, b, lengths) => {
  const parts = groupName("w".repeat(a), "t".repeat(b)).split("-");
  const hash = parts[2] ?? "";
  const room = 253 - hash.length - 2;
  const [workload = 0, template = 0] = lengths;
  // The lengths in the table are those of a hash of ten letters.
  const spare = a + b > room ? room - 241 : 0;
  expect((parts[0]?.length ?? 0) + (parts[1]?.length ?? 0)).toBe(workload + template + spare);
  expect(parts.join("-").length).toBeLessThanOrEqual(253);
});

test("groupTemplateName: one template for all pods", () => {
  expect(groupTemplateName("j")).toBe("j-pgt-0");
});
