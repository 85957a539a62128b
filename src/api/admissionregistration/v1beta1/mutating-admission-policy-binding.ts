import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { mutatingAdmissionPolicyBinding } from "../v1/mutating-admission-policy-binding-definition.ts";

export const MutatingAdmissionPolicyBinding = kind({
  ...mutatingAdmissionPolicyBinding("v1beta1"),
  stability: "beta",
});
export interface MutatingAdmissionPolicyBinding
  extends ObjectOf<typeof MutatingAdmissionPolicyBinding> {}
