import { ClusterTrustBundle } from "../../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { isOnlyForCollection } from "../only-for-collection.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";
import { maySign } from "./signer-permission.ts";

/** Publishing a trust bundle for a signer needs the right to attest for it. */
export function clusterTrustBundleAttest({ access }: Pick<PluginSetup, "access">): AdmissionPlugin {
  return {
    name: "ClusterTrustBundleAttest",
    operations: ["CREATE", "UPDATE"],
    resources: ["certificates.k8s.io/clustertrustbundles"],

    async validate(attributes) {
      const { operation, context } = attributes;
      const { signerName = "" } = objectOf(ClusterTrustBundle, attributes).spec;
      if (signerName === "") return;
      if (operation === "UPDATE" && isOnlyForCollection(attributes)) return;
      if (await maySign(access.authorizer, context.user, { verb: "attest", signerName })) return;
      throw rejection(
        attributes,
        `user not permitted to attest for signerName ${quote(signerName)}`,
      );
    },
  };
}
