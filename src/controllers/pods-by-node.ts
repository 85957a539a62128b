import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { Indexers } from "../client/informer/informer-options.ts";

/** The name of the index of pods by node. */
export const byNode = "spec.nodeName";

/** An index of pods by node, shared by all controllers that use it. */
export const podsByNode: Indexers<Pod> = {
  [byNode]: ({ spec }) => (spec.nodeName ? [spec.nodeName] : []),
};
