import { expect, test } from "vitest";
import { apiApproval, isProtectedGroup } from "./api-approval.ts";
import { createErrors, updateErrors } from "./definition.test-support.ts";

const annotated = (text: string) => ({
  metadata: {
    name: "apples.x.k8s.io",
    annotations: { "api-approved.kubernetes.io": text },
  },
  spec: { group: "x.k8s.io" },
});

test.each([
  ["", "missing"],
  ["unapproved, an experiment", "bypassed"],
  ["https://github.com/kubernetes/kubernetes/pull/1", "approved"],
  ["soon", "invalid"],
  ["/pull/1", "invalid"],
])("apiApproval: %s", (text, state) => {
  expect(apiApproval({ "api-approved.kubernetes.io": text })).toBe(state);
});

test("isProtectedGroup: groups of the community, and those under them", () => {
  const groups = ["k8s.io", "a.k8s.io", "kubernetes.io", "b.kubernetes.io", "ak8s.io", "k8s.io.a"];
  expect(groups.map(isProtectedGroup)).toEqual([true, true, true, true, false, false]);
});

test("validateApiApproval: an annotation that says nothing is refused", () => {
  expect(createErrors(annotated("soon"))).toEqual([
    'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "soon": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
  ]);
});

test("validateApiApproval: what is wrong may stay so", () => {
  expect(updateErrors(annotated("soon"), annotated("later"))).toEqual([]);
});
