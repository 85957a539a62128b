import { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { abortReason } from "../../../base/abort-reason.ts";
import { type Clock, sleep } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Client } from "../../../client/client.ts";
import { keyOf } from "../../../client/resource-kind.ts";
import { isAtLeast } from "../../../client/resource-version.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { isMirrorPod } from "../static-pod.ts";
import { mergeStatus, statusPatch } from "./merge-status.ts";
import { isTerminalPhase } from "./pod-status.ts";

/** Holds the statuses of a kubelet's pods, and writes those that changed. */
export interface StatusWriter {
  /** The latest status of a pod. */
  get(uid: string): PodStatus | undefined;
  /** Sets the status of a pod; several changes at once are one write. */
  set(pod: Pod, status: PodStatus): void;
  /** Has the status of a pod written even if it changes at once. */
  keep(pod: Pod): void;
  /** Reports that nothing of a pod is left: if its deletion was requested, it is deleted from the API. */
  finish(pod: Pod): void;
  /** Writes the status of a pod again if another client has changed it in the API. */
  reconcile(pod: Pod, stored: Pod): void;
  forget(uid: string): void;
  /** Starts no more writes. */
  close(): void;
}

export interface StatusWriterOptions {
  /** Absent without an API server: nothing is written. */
  readonly client?: Client | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The cached pod; undefined if it was deleted. */
  readonly podOf: (uid: string) => Pod | undefined;
  /** The pod in the API that gets the status of a pod: its mirror pod, if it is static; undefined while there is none. */
  readonly storedOf: (pod: Pod) => Pod | undefined;
  /** Whether containers of a pod may still run. */
  readonly mayRun: (uid: string) => boolean;
}

export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { log, clock } = options;
  const entries = new Map<string, Entry>();
  /** Pods with pending writes, and pods that are being written. */
  const due = new Set<string>();
  const writing = new Set<string>();
  const ending = new AbortController();
  let isWorking = false;

  const waiting = (): string[] => [...due].filter((uid) => !writing.has(uid));
  const work = async (): Promise<void> => {
    for (let pods = waiting(); pods.length > 0 && writing.size < mostWrites; pods = waiting()) {
      // Changes within one turn of the event loop are written together.
      for (let i = 0; i < breath; i++) await undefined;
      for (const uid of pods.slice(0, mostWrites - writing.size)) void writeOne(uid);
    }
    isWorking = false;
  };
  const wake = (): void => {
    if (isWorking) return;
    isWorking = true;
    void work();
  };
  const enqueue = (uid: string): void => {
    due.add(uid);
    wake();
  };
  const writeOne = async (uid: string): Promise<void> => {
    due.delete(uid);
    const entry = entries.get(uid);
    if (!entry || ending.signal.aborted) return;
    writing.add(uid);
    const [kept] = entry.kept;
    try {
      const isOver = await write(options, uid, entry);
      if (isOver) entries.delete(uid);
      entry.kept = entry.kept.filter((one) => one !== kept);
      if (kept && !isOver) due.add(uid);
    } catch (error) {
      if (ending.signal.aborted) return;
      log.warn("writing pod status failed", { uid, error });
      void sleep(clock, retryMs, ending.signal).then(
        () => entries.has(uid) && enqueue(uid),
        () => undefined,
      );
    } finally {
      writing.delete(uid);
      if (due.size > 0) wake();
    }
  };

  return {
    get: (uid) => entries.get(uid)?.status,
    set(pod, status) {
      const { uid = "" } = pod.metadata;
      const entry = entries.get(uid);
      if (!entry) entries.set(uid, newEntry(status));
      else if (sameJson(entry.status, status)) return;
      else entry.status = status;
      enqueue(uid);
    },
    keep({ metadata: { uid = "" } }) {
      const entry = entries.get(uid);
      if (!entry || !due.has(uid) || entry.kept.at(-1)?.status === entry.status) return;
      const kept = { status: entry.status, mayRun: options.mayRun(uid) };
      entry.kept = [...entry.kept, kept].slice(-mostKept);
    },
    finish(pod) {
      const { uid = "" } = pod.metadata;
      const entry = entries.get(uid) ?? newEntry(pod.status);
      entry.isFinished = true;
      entries.set(uid, entry);
      enqueue(uid);
    },
    reconcile({ metadata: { uid = "" } }, stored) {
      const entry = entries.get(uid);
      const { resourceVersion } = stored.metadata;
      // The result of our own write needs no check.
      if (entry && entry.answer?.metadata.resourceVersion !== resourceVersion) enqueue(uid);
    },
    forget(uid) {
      entries.delete(uid);
      due.delete(uid);
    },
    close: () => ending.abort(abortReason),
  };
}

interface Entry {
  status: PodStatus;
  /** Statuses that are to be written before the latest. */
  kept: readonly KeptStatus[];
  /** Whether nothing of the pod is left. */
  isFinished: boolean;
  /** The pod in the response to the last write. */
  answer: Pod | undefined;
}

interface KeptStatus {
  readonly status: PodStatus;
  /** Whether containers of the pod might run at that time. */
  readonly mayRun: boolean;
}

const newEntry = (status: PodStatus): Entry => ({
  status,
  kept: [],
  isFinished: false,
  answer: undefined,
});

/** The number of microtask turns after which simultaneous changes are complete. */
const breath = 60;
const retryMs = 10_000;
/** How many statuses of a pod are kept while the API server cannot be reached. */
const mostKept = 8;
/** The number of concurrent writes; a pod has at most one. */
const mostWrites = 10;

/** Writes a changed status, and deletes a pod that has ended; returns whether the pod is done. */
async function write(
  { client, podOf, storedOf, mayRun }: StatusWriterOptions,
  podUid: string,
  entry: Entry,
): Promise<boolean> {
  const source = podOf(podUid);
  if (!source) return true;
  const known = storedOf(source);
  if (!client || !known) return false;
  let pod = newer(known, entry.answer);
  const { uid = "" } = pod.metadata;
  try {
    const due = entry.kept[0] ?? { status: entry.status, mayRun: mayRun(podUid) };
    const status = mergeStatus(pod.status, due.status, due.mayRun);
    const patch = statusPatch(uid, pod.status, status);
    if (patch) {
      const how = { subresource: "status" };
      pod = await client.patch(Pod, keyOf(pod), { strategic: patch as never }, how);
      entry.answer = pod;
    }
    // A mirror pod does not end with a deletion: its static pod runs on.
    if (!pod.metadata.deletionTimestamp || isMirrorPod(pod)) return false;
    if (entry.kept.length > 0 || !entry.isFinished || !isTerminalPhase(pod.status.phase))
      return false;
    await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
    return true;
  } catch (error) {
    // The pod was deleted, or another pod has its name.
    if (StatusError.is(error, "NotFound", "Conflict"))
      return StatusError.is(error, "NotFound") && !isMirrorPod(pod);
    throw error;
  }
}

const newer = (known: Pod, answer: Pod | undefined): Pod =>
  answer && isAtLeast(answer.metadata.resourceVersion ?? "", known.metadata.resourceVersion ?? "")
    ? answer
    : known;
