import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { mutatingAdmissionPolicy } from "../v1/mutating-admission-policy-definition.ts";

export const MutatingAdmissionPolicy = kind({
  ...mutatingAdmissionPolicy("v1beta1"),
  stability: "beta",
});
export interface MutatingAdmissionPolicy extends ObjectOf<typeof MutatingAdmissionPolicy> {}
