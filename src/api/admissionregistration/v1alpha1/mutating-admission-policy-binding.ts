import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { mutatingAdmissionPolicyBinding } from "../v1/mutating-admission-policy-binding-definition.ts";
import { inVersion } from "../v1/registration.ts";
import { MutatingAdmissionPolicyBinding as StoredKind } from "../v1beta1/mutating-admission-policy-binding.ts";

export const MutatingAdmissionPolicyBinding = kind({
  ...mutatingAdmissionPolicyBinding("v1alpha1"),
  stability: "alpha",
  deprecated:
    "admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding is deprecated in v1.35+, unavailable in v1.38+",
  conversion: {
    stored: StoredKind,
    fromStored: inVersion("v1alpha1"),
    toStored: inVersion("v1beta1"),
  },
});
export interface MutatingAdmissionPolicyBinding
  extends ObjectOf<typeof MutatingAdmissionPolicyBinding> {}
