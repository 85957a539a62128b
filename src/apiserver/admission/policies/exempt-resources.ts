import type { Attributes } from "../admission.ts";

/**
 * Whether policies do not see a request: those for policies, because one that rejects everything could not be
 * removed, and reviews, without which the cluster does not work.
 */
export const isExemptFromPolicies = ({ address: { kind } }: Attributes): boolean =>
  exempt.get(kind.group)?.has(kind.plural) ?? false;

const exempt: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "admissionregistration.k8s.io",
    new Set([
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
    ]),
  ],
  ["authentication.k8s.io", new Set(["selfsubjectreviews", "tokenreviews"])],
  [
    "authorization.k8s.io",
    new Set([
      "localsubjectaccessreviews",
      "selfsubjectaccessreviews",
      "selfsubjectrulesreviews",
      "subjectaccessreviews",
    ]),
  ],
]);
