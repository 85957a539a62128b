import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { KubeletEvent } from "../kubelet-events.ts";
import { podText } from "../pod/pod-text.ts";
import { fullNameOf, type PodOrigin, seenAnnotation } from "../pod/static-pod.ts";
import type { PodListener, PodSource } from "../pod-source.ts";
import { annotatePod, seenText } from "./annotate-pod.ts";

/** A source that always has all of its pods at once, such as a folder. */
export interface PodSets extends PodSource {
  /** Replaces the pods of the source. It is ready from the first call on. */
  set(pods: readonly Pod[]): void;
}

export interface PodSetsOptions {
  readonly origin: Exclude<PodOrigin, "api">;
  readonly clock: Clock;
  readonly log: Log;
  /** Records an event about a pod that is not used. */
  readonly record: (pod: Pod, event: KubeletEvent) => void;
}

/** Compares the sets of pods of a source, and reports what has changed: removed pods first. */
export function createPodSets(options: PodSetsOptions): PodSets {
  const { origin, clock } = options;
  let known: ReadonlyMap<string, Pod> | undefined;
  let listener: PodListener | undefined;

  return {
    set(pods) {
      const before = known ?? new Map<string, Pod>();
      const now = seenText(clock.now());
      const after = new Map<string, Pod>();
      for (const pod of withoutDuplicates(pods, options)) {
        const { uid = "" } = pod.metadata;
        const old = before.get(uid);
        const next = annotatePod(pod, origin, old?.metadata.annotations?.[seenAnnotation] ?? now);
        after.set(uid, old && sameJson(old, next) ? old : next);
      }
      const isFirst = known === undefined;
      known = after;
      for (const [uid, pod] of before) if (!after.has(uid)) listener?.removed(pod);
      for (const [uid, pod] of after) if (before.get(uid) !== pod) listener?.set(pod);
      if (isFirst) listener?.ready();
    },
    subscribe(given) {
      listener = given;
      for (const pod of known?.values() ?? []) listener.set(pod);
      if (known) listener.ready();
      return () => {
        listener = undefined;
      };
    },
  };
}

/** The first pod of each name. */
function withoutDuplicates(
  pods: readonly Pod[],
  { origin, log, record }: PodSetsOptions,
): readonly Pod[] {
  const names = new Set<string>();
  return pods.filter((pod) => {
    const name = fullNameOf(pod);
    if (!names.has(name)) return names.add(name);
    const why = `due to duplicate pod name "${pod.metadata.name}", ignoring`;
    const message = `Error validating pod ${podText(pod)} from ${origin} ${why}`;
    log.warn("ignoring a pod whose name another pod has", { pod: podText(pod), source: origin });
    record(pod, { type: "Warning", reason: "FailedValidation", message });
    return false;
  });
}
