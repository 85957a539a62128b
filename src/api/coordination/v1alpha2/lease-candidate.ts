import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { leaseCandidateIn, LeaseCandidate as Stored } from "../v1beta1/lease-candidate.ts";

export const LeaseCandidate = kind({
  ...leaseCandidateIn("v1alpha2"),
  stability: "alpha",
  deprecated:
    "coordination.k8s.io/v1alpha2 LeaseCandidate is deprecated in v1.35+, unavailable in v1.38+",
  conversion: {
    stored: Stored,
    fromStored: (candidate: Stored) => ({
      ...candidate,
      apiVersion: "coordination.k8s.io/v1alpha2",
    }),
    toStored: (candidate: Stored) => ({ ...candidate, apiVersion: "coordination.k8s.io/v1beta1" }),
  },
});
export interface LeaseCandidate extends ObjectOf<typeof LeaseCandidate> {}
