import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { Indexers } from "../client/informer/informer-options.ts";

/** The name of the index of pods by the node that they are on. */
export const byNode = "spec.nodeName";

/** Has an informer of pods find those of a node; all who ask for it share the index. */
export const podsByNode: Indexers<Pod> = {
  [byNode]: ({ spec }) => (spec.nodeName ? [spec.nodeName] : []),
};
