import type { ClusterTrustBundle } from "../../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { isOnlyForCollection } from "../only-for-collection.ts";
import type { Cluster } from "../plugins.ts";
import { refusal } from "../refusal.ts";
import { maySign } from "./signer-permission.ts";

/** Who says whom to trust in the name of a signer may do so. */
export function clusterTrustBundleAttest(cluster: Cluster): AdmissionPlugin {
  return {
    name: "ClusterTrustBundleAttest",
    operations: ["CREATE", "UPDATE"],
    resources: ["certificates.k8s.io/clustertrustbundles"],

    async validate(attributes) {
      const { operation, object, context } = attributes;
      const { signerName = "" } = (object as unknown as ClusterTrustBundle).spec;
      if (signerName === "") return;
      if (operation === "UPDATE" && isOnlyForCollection(attributes)) return;
      if (await maySign(cluster().authorizer, context.user, { verb: "attest", signerName })) return;
      throw refusal(attributes, `user not permitted to attest for signerName ${quote(signerName)}`);
    },
  };
}
