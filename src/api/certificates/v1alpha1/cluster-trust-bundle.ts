import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import {
  clusterTrustBundleIn,
  ClusterTrustBundle as Stored,
} from "../v1beta1/cluster-trust-bundle.ts";

export const ClusterTrustBundle = kind({
  ...clusterTrustBundleIn("v1alpha1"),
  stability: "alpha",
  deprecated:
    "certificates.k8s.io/v1alpha1 ClusterTrustBundle is deprecated in v1.34+, unavailable in v1.37+",
  conversion: {
    stored: Stored,
    fromStored: (bundle: Stored) => ({ ...bundle, apiVersion: "certificates.k8s.io/v1alpha1" }),
    toStored: (bundle: Stored) => ({ ...bundle, apiVersion: "certificates.k8s.io/v1beta1" }),
  },
});
export interface ClusterTrustBundle extends ObjectOf<typeof ClusterTrustBundle> {}
