import { ClusterTrustBundle as Alpha } from "../../api/certificates/v1alpha1/cluster-trust-bundle.ts";
import { ClusterTrustBundle } from "../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import { controllerModule } from "../controller-module.ts";
import { whereServed } from "../where-served.ts";
import { clusterTrustBundleController } from "./cluster-trust-bundle-controller.ts";

export const clusterTrustBundleModule = controllerModule({
  name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
  account: "kube-apiserver-serving-clustertrustbundle-publisher",
  create: (_, { rootCa }) =>
    rootCa.current === ""
      ? undefined
      : {
          run: [
            whereServed({
              name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
              // The versions are equal.
              kinds: [ClusterTrustBundle, Alpha as unknown as typeof ClusterTrustBundle],
              create: (kind) => clusterTrustBundleController({ kind, rootCa }),
            }),
          ],
        },
});
