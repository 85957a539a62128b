import { Pod } from "../api/core/v1/pod/pod.ts";
import { claimsOfPod } from "../api/core/v1/pod/pod-claims.ts";
import { formatKey, type ObjectKey } from "../client/resource-kind.ts";
import type { KindIndex } from "../controller-runtime/reconcile/controller-definition.ts";

/** The name of the index of pods by the claims that they use. */
export const byClaim = "pod-pvc-index";

/** The keys of the claims that a pod uses, those of ephemeral volumes included. */
export const claimKeysOfPod = (pod: Pod): readonly ObjectKey[] =>
  claimsOfPod(pod).map(({ name }) => ({ namespace: pod.metadata.namespace, name }));

/** An index of pods by `NAMESPACE/NAME` of claims, shared by all controllers that use it. */
export const podsByClaim: KindIndex = {
  kind: Pod,
  name: byClaim,
  valuesOf: (pod) => claimKeysOfPod(pod as Pod).map(formatKey),
};
