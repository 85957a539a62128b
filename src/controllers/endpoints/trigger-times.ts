import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { podCondition } from "../../api/core/v1/pod/pod-status.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { formatKey, keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

/** The times of changes that caused writes of endpoints, by which their latency is measured. */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** Remembers the state of services and their pods, to find out what changed. */
export class TriggerTimes {
  readonly #states = new Map<string, SeenTimes>();

  /**
   * The time of the earliest change since the last call; the creation of a new service; undefined if
   * nothing changed.
   */
  see(service: Service, pods: readonly Pod[]): string | undefined {
    const key = formatKey(keyOf(service));
    const before = this.#states.get(key);
    const created = timeOf(service.metadata.creationTimestamp);
    const now: SeenTimes = { service: created, pods: podTimes(pods) };
    this.#states.set(key, now);
    if (!before) return timeText(created);
    const changed = [...now.pods]
      .filter(([name, time]) => isAfter(time, before.pods.get(name)))
      .map(([, time]) => time);
    if (created !== undefined && isAfter(created, before.service)) changed.push(created);
    return changed.length === 0 ? undefined : timeText(changed.reduce((a, b) => Math.min(a, b)));
  }

  forget(service: ObjectKey): void {
    this.#states.delete(formatKey(service));
  }
}

/** The annotations with the time of a change, or without it. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, ...rest } = annotations ?? {};
  return time === undefined ? rest : { ...rest, [triggerTimeAnnotation]: time };
}

interface SeenTimes {
  readonly service: number | undefined;
  readonly pods: ReadonlyMap<string, number>;
}

function podTimes(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { metadata, status } of pods) {
    const time = timeOf(podCondition(status, "Ready")?.lastTransitionTime ?? undefined);
    if (time !== undefined) times.set(metadata.name ?? "", time);
  }
  return times;
}

const isAfter = (time: number, seen: number | undefined): boolean =>
  seen === undefined || time > seen;

const timeText = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : formatTime(timeFromMillis(time));
