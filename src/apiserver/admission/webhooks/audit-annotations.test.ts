import { expect, test } from "vitest";
import { annotate } from "../annotate.ts";
import { annotateFailOpen, annotateMutation, annotatePatch } from "./audit-annotations.ts";
import type { ReadyWebhook } from "./ready-webhook.ts";

const ready = { configuration: "c", webhook: { name: "w.io" } } as ReadyWebhook;
const call = { ready, round: 1, index: 2 };
const contextOf = () => ({
  user: { name: "u", groups: [] },
  dryRun: false,
  fieldManager: "",
  warnings: [],
  auditAnnotations: new Map<string, string>(),
  auditedPatches: new Map<string, string>(),
});

test("annotations of calls say which webhook it was, in which round", () => {
  const context = contextOf();
  annotateFailOpen(context, call, "mutation");
  annotateFailOpen(context, { ...call, round: 0 }, "validating");
  annotateMutation(context, call, true);
  annotatePatch(context, call, '[{"op":"test"}]');
  expect(Object.fromEntries(context.auditAnnotations)).toEqual({
    "failed-open.mutation.webhook.admission.k8s.io/round_1_index_2": "w.io",
    "failed-open.validating.webhook.admission.k8s.io/round_0_index_2": "w.io",
    "mutation.webhook.admission.k8s.io/round_1_index_2":
      '{"configuration":"c","webhook":"w.io","mutated":true}',
  });
  expect(Object.fromEntries(context.auditedPatches)).toEqual({
    "patch.webhook.admission.k8s.io/round_1_index_2":
      '{"configuration":"c","webhook":"w.io","patch":[{"op":"test"}],"patchType":"JSONPatch"}',
  });
});

test("annotate: the first value stays, and invalid keys are dropped", () => {
  const context = contextOf();
  for (const [key, value] of [
    ["w.io/a", "1"],
    ["w.io/a", "2"],
    ["w.io/a/b", "3"],
    ["w.io/a b", "4"],
  ] as const)
    annotate(context, key, value);
  expect([...context.auditAnnotations]).toEqual([["w.io/a", "1"]]);
});
