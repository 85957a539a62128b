import type { Attributes } from "../admission.ts";

/**
 * Whether a request is for an object that configures admission. Neither webhooks nor policies see these: one that
 * rejects everything could not be removed.
 */
export const isExempt = ({ address: { kind }, objectKind = kind }: Attributes): boolean =>
  objectKind.group === "admissionregistration.k8s.io" && exempt.has(objectKind.kind);

const exempt: ReadonlySet<string> = new Set([
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
]);
