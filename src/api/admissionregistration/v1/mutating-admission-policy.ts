import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { MutatingAdmissionPolicy as StoredKind } from "../v1beta1/mutating-admission-policy.ts";
import { mutatingAdmissionPolicy } from "./mutating-admission-policy-definition.ts";
import { inVersion } from "./registration.ts";

export const MutatingAdmissionPolicy = kind({
  ...mutatingAdmissionPolicy("v1"),
  // The release before this one knows only the beta, and must be able to read what is stored.
  conversion: {
    stored: StoredKind,
    fromStored: inVersion("v1"),
    toStored: inVersion("v1beta1"),
  },
});
export interface MutatingAdmissionPolicy extends ObjectOf<typeof MutatingAdmissionPolicy> {}
