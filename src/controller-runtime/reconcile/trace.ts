import type { Clock } from "../../base/clock.ts";
import type { OwnWrite } from "../cache/own-write.ts";

/** Why a reconcile took place. */
export interface TraceCause {
  /** What happened to an object; `resync`: nothing; `retry`: the reconcile failed; `requeue`: it asked to be called again. */
  readonly type: "added" | "updated" | "deleted" | "resync" | "retry" | "requeue";
  readonly at: number;
  /** The object; absent for a retry or requeue. */
  readonly object?: TracedObject | undefined;
}

export interface TracedObject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What a reconcile wrote. */
export interface TraceWrite {
  readonly at: number;
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly key: string;
  /** Undefined if the object is gone, or the response did not show it. */
  readonly resourceVersion: string | undefined;
  readonly isUnknown: boolean;
}

/** One reconcile: why it took place, what it wrote, and how it ended. */
export interface ReconcileTrace {
  readonly id: number;
  readonly controller: string;
  readonly key: string;
  readonly attempt: number;
  /** `writtenBy`: the reconcile whose write caused the event. */
  readonly causes: readonly (TraceCause & { readonly writtenBy?: number | undefined })[];
  /** How many causes are not kept. */
  readonly moreCauses: number;
  readonly writes: readonly TraceWrite[];
  readonly moreWrites: number;
  readonly startedAt: number;
  /** Undefined while it is running. */
  readonly endedAt?: number | undefined;
  readonly result?: "success" | "requeueAfter" | "error" | "terminalError" | undefined;
  readonly error?: string | undefined;
}

export interface TraceFilter {
  readonly controller?: string | undefined;
  /** `NAMESPACE/NAME` of what was reconciled. */
  readonly key?: string | undefined;
}

/** The last reconciles of all controllers of a manager, with their causes and writes. */
export interface Trace {
  /** Records why a key was enqueued. */
  caused(controller: string, key: string, cause: Omit<TraceCause, "at">): void;
  began(reconcile: { controller: string; key: string; attempt: number }): TracedReconcile;
  /** The last reconciles, the oldest first. */
  list(filter?: TraceFilter): readonly ReconcileTrace[];
}

/** A reconcile that is running. */
export interface TracedReconcile {
  readonly id: number;
  wrote(write: OwnWrite): void;
  ended(result: NonNullable<ReconcileTrace["result"]>, error?: string): void;
}

/** A trace of the last `capacity` reconciles. */
export function createTrace(clock: Pick<Clock, "now">, capacity = 1000): Trace {
  /** By id modulo capacity. */
  const ring: Kept[] = [];
  /** Why keys are queued, by controller and key. */
  const waiting = new Map<string, { causes: TraceCause[]; more: number }>();
  /** The reconcile that wrote a version or deleted an object. */
  const writers = new Map<string, number>();
  let count = 0;

  const keep = (one: Kept): void => {
    const place = one.id % capacity;
    for (const link of ring[place]?.links ?? []) writers.delete(link);
    ring[place] = one;
  };

  return {
    caused(controller, key, cause) {
      const text = `${controller} ${key}`;
      let known = waiting.get(text);
      if (!known) {
        known = { causes: [], more: 0 };
        waiting.set(text, known);
      }
      if (known.causes.length < mostCauses) known.causes.push({ ...cause, at: clock.now() });
      else known.more++;
    },

    began({ controller, key, attempt }) {
      const text = `${controller} ${key}`;
      const { causes = [], more = 0 } = waiting.get(text) ?? {};
      waiting.delete(text);
      count++;
      const one: Kept = {
        id: count,
        controller,
        key,
        attempt,
        causes,
        moreCauses: more,
        writes: [],
        moreWrites: 0,
        startedAt: clock.now(),
        links: [],
      };
      keep(one);
      return {
        id: one.id,
        wrote(write) {
          if (one.writes.length >= mostWrites) {
            one.moreWrites++;
            return;
          }
          one.writes.push(tracedWrite(write, clock.now()));
          const link = linkOf(write);
          if (link === undefined || ring[one.id % capacity] !== one) return;
          one.links.push(link);
          writers.set(link, one.id);
        },
        ended(result, error) {
          one.endedAt = clock.now();
          one.result = result;
          one.error = error;
        },
      };
    },

    list: ({ controller, key } = {}) =>
      ring
        .filter(
          (one) =>
            (controller === undefined || one.controller === controller) &&
            (key === undefined || one.key === key),
        )
        .sort((a, b) => a.id - b.id)
        .map(({ links: _, ...one }) => ({
          ...one,
          writes: [...one.writes],
          causes: one.causes.map((cause) => ({ ...cause, writtenBy: writerOf(cause, writers) })),
        })),
  };
}

const mostCauses = 10;
const mostWrites = 50;

type Kept = { -readonly [K in keyof ReconcileTrace]: ReconcileTrace[K] } & {
  readonly causes: readonly TraceCause[];
  readonly writes: TraceWrite[];
  /** Its keys in `writers`. */
  readonly links: string[];
};

const versionLink = (group: string, plural: string, version: string): string =>
  `${group}/${plural}@${version}`;
const endLink = (group: string, plural: string, uid: string): string => `${group}/${plural}!${uid}`;

function linkOf(write: OwnWrite): string | undefined {
  const { group, plural } = write;
  if (write.type === "written") return versionLink(group, plural, write.resourceVersion);
  if (write.type === "gone" && write.uid) return endLink(group, plural, write.uid);
  return undefined;
}

/** Looked up when the trace is read: an event may arrive before the response to the write. */
function writerOf({ type, object }: TraceCause, writers: ReadonlyMap<string, number>) {
  if (!object || type === "resync") return undefined;
  const { group, plural, uid, resourceVersion } = object;
  return (
    (type === "deleted" ? writers.get(endLink(group, plural, uid)) : undefined) ??
    writers.get(versionLink(group, plural, resourceVersion))
  );
}

function tracedWrite(write: OwnWrite, at: number): TraceWrite {
  const { namespace, name = "" } = write.type === "unknown" ? write : write.key;
  return {
    at,
    verb: write.verb,
    group: write.group,
    plural: write.plural,
    key: namespace ? `${namespace}/${name}` : name,
    resourceVersion: write.type === "written" ? write.resourceVersion : undefined,
    isUnknown: write.type === "unknown",
  };
}
