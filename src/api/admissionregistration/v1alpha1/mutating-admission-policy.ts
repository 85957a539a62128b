import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { mutatingAdmissionPolicy } from "../v1/mutating-admission-policy-definition.ts";
import { inVersion } from "../v1/registration.ts";
import { MutatingAdmissionPolicy as StoredKind } from "../v1beta1/mutating-admission-policy.ts";

export const MutatingAdmissionPolicy = kind({
  ...mutatingAdmissionPolicy("v1alpha1"),
  stability: "alpha",
  deprecated:
    "admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy is deprecated in v1.35+, unavailable in v1.38+",
  conversion: {
    stored: StoredKind,
    fromStored: inVersion("v1alpha1"),
    toStored: inVersion("v1beta1"),
  },
});
export interface MutatingAdmissionPolicy extends ObjectOf<typeof MutatingAdmissionPolicy> {}
