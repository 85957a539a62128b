import type { Clock } from "../../base/clock.ts";
import type { PodSource } from "../pod-source.ts";
import { annotatePod, seenText } from "./annotate-pod.ts";

/** The pods of the API with the annotations that upstream's kubelet adds, which pods can read through the downward API. */
export const annotatedApiPods = (source: PodSource, clock: Clock): PodSource => ({
  subscribe(listener) {
    const seen = new Map<string, string>();
    return source.subscribe({
      set(pod) {
        const { uid = "" } = pod.metadata;
        const first = seen.get(uid) ?? seenText(clock.now());
        seen.set(uid, first);
        listener.set(annotatePod(pod, "api", first));
      },
      removed(pod) {
        seen.delete(pod.metadata.uid ?? "");
        listener.removed(pod);
      },
      ready: () => listener.ready(),
    });
  },
});
