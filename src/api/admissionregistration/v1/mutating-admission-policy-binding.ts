import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { MutatingAdmissionPolicyBinding as StoredKind } from "../v1beta1/mutating-admission-policy-binding.ts";
import { mutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding-definition.ts";
import { inVersion } from "./registration.ts";

export const MutatingAdmissionPolicyBinding = kind({
  ...mutatingAdmissionPolicyBinding("v1"),
  // The release before this one knows only the beta, and must be able to read what is stored.
  conversion: {
    stored: StoredKind,
    fromStored: inVersion("v1"),
    toStored: inVersion("v1beta1"),
  },
});
export interface MutatingAdmissionPolicyBinding
  extends ObjectOf<typeof MutatingAdmissionPolicyBinding> {}
