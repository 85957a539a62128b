import { expect, test } from "vitest";
import type { AnyKind } from "../../objects/object.ts";
import { coreKind, resources } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes } from "../attributes.test-support.ts";
import { podGroupProtection } from "./pod-group-protection.ts";

const groups = resources.find("scheduling.k8s.io", "v1alpha2", "podgroups") as AnyKind;
const finalizer = "scheduling.k8s.io/podgroup-protection";

test.each([
  ["a new group", groups, undefined, [finalizer]],
  ["one that others hold", groups, ["a/b"], ["a/b", finalizer]],
  ["one that is protected", groups, [finalizer, "a/b"], [finalizer, "a/b"]],
  ["another kind", coreKind("Pod"), undefined, undefined],
])("podGroupProtection: %s", async (_, kind, finalizers, wanted) => {
  const request = attributes({ address: { kind }, metadata: { finalizers } });
  await admissionChain([podGroupProtection]).admit(request);
  expect(request.object.metadata.finalizers).toEqual(wanted);
});
