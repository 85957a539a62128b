import { millisOf, parseTime } from "../../../../schema/values/time.ts";
import type { Pod } from "./pod.ts";

/** Whether a pod has neither ended nor is about to. */
export const isPodActive = ({ metadata, status }: Pod): boolean =>
  status.phase !== "Succeeded" && status.phase !== "Failed" && !metadata.deletionTimestamp;

/** Whether a pod is about to end, and has not yet. */
export const isPodTerminating = ({ metadata, status }: Pod): boolean =>
  status.phase !== "Succeeded" &&
  status.phase !== "Failed" &&
  metadata.deletionTimestamp !== undefined;

export const isPodReady = (pod: Pod): boolean => readyCondition(pod)?.status === "True";

/** Since when a pod is ready, in milliseconds since the epoch; undefined where it is not, or nobody says. */
export function readySince(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True" || !condition.lastTransitionTime) return undefined;
  return timeOf(condition.lastTransitionTime);
}

/** Whether a pod has been ready for so many seconds. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** In how many milliseconds the next of the pods will have been ready for so many seconds. */
export function nextAvailableMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  const waits = pods
    .map((pod) => (readySince(pod) ?? Number.NEGATIVE_INFINITY) + minReadySeconds * 1000 - now)
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** A time of the API in milliseconds since the epoch; undefined where there is none. */
export const timeOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : millisOf(parseTime(time));

const readyCondition = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "Ready");
