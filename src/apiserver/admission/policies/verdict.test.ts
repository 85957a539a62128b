import { expect, test } from "vitest";
import { noMetrics } from "../../../base/metrics.ts";
import { ValidatingPolicyMetrics } from "../../metrics/policy-metrics.ts";
import { context } from "../../verbs/verb-parts.test-support.ts";
import type { Attributes } from "../admission.ts";
import { attributes } from "../attributes.test-support.ts";
import type { Decision } from "./validating-evaluator.ts";
import { Verdict } from "./verdict.ts";

const by = (binding: string, validationActions: readonly string[] = ["Audit"]) =>
  ({
    policy: { metadata: { name: "p.example.com" }, spec: { failurePolicy: "Fail" } },
    binding: {
      metadata: { name: binding },
      spec: { policyName: "p.example.com", validationActions },
    },
  }) as never;

const denied: Decision = { isDenied: true, isError: false, message: "m", reason: "", seconds: 0 };

/** The annotations that a verdict publishes. */
function annotations(use: (verdict: Verdict) => void): object {
  const auditAnnotations = new Map<string, string>();
  const request = attributes({ context: { ...context(), auditAnnotations } }) as Attributes;
  const verdict = new Verdict(request, new ValidatingPolicyMetrics(noMetrics));
  use(verdict);
  verdict.close();
  return Object.fromEntries(auditAnnotations);
}

test("Verdict: the first failure is annotated, with its place", () => {
  const passed = { ...denied, isDenied: false };
  const published = annotations((verdict) => {
    verdict.add(by("b"), { decisions: [passed, denied], annotations: [] });
    verdict.add(by("c"), { decisions: [denied], annotations: [] });
  });
  expect(published).toEqual({
    "validation.policy.admission.k8s.io/validation_failure":
      '[{"message":"m","policy":"p.example.com","binding":"b","expressionIndex":1,"validationActions":["Audit"]}]',
  });
});

test("Verdict: the values of all bindings are published together, each once", () => {
  const published = annotations((verdict) => {
    for (const value of ["x", "y", "x"])
      verdict.add(by(value), { decisions: [], annotations: [{ key: "k", value }] });
  });
  expect(published).toEqual({ "p.example.com/k": "x, y" });
});

test("Verdict: a value that is too long is cut", () => {
  const published = annotations((verdict) => {
    const value = "ä".repeat(6000);
    verdict.add(by("b"), { decisions: [], annotations: [{ key: "k", value }] });
  });
  expect(published).toEqual({ "p.example.com/k": "ä".repeat(5120) });
});

test("Verdict: annotations are published although the request is denied", () => {
  const auditAnnotations = new Map<string, string>();
  const request = attributes({ context: { ...context(), auditAnnotations } }) as Attributes;
  const verdict = new Verdict(request, new ValidatingPolicyMetrics(noMetrics));
  verdict.add(by("b", ["Deny"]), { decisions: [denied], annotations: [{ key: "k", value: "v" }] });
  expect(() => verdict.close()).toThrow(
    `pods "a" is forbidden: ValidatingAdmissionPolicy 'p.example.com' with binding 'b' denied request: m`,
  );
  expect([...auditAnnotations.keys()]).toEqual(["p.example.com/k"]);
});
