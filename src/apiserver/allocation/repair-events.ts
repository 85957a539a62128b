import { Event as CoreEvent } from "../../api/core/v1/event/event.ts";
import { Event } from "../../api/events/v1/event.ts";
import type { Log } from "../../base/log.ts";
import { nameIsDnsSubdomain } from "../../schema/values/names.ts";
import { formatMicroTime, formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { ApiObject } from "../objects/object.ts";
import type { ObjectKey } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";

/** A problem with an object, and what is done about it. */
export interface Finding {
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** The object that an event is about. */
type Regarding = Pick<ApiObject, "kind" | "apiVersion" | "metadata">;

/** How long after its last occurrence a finding is counted in the same event. */
const finishMs = 6 * 60_000;
/** How often the event of a lasting finding is written, so that it does not expire. */
const refreshMs = 30 * 60_000;

interface ReportedEvent {
  readonly key: ObjectKey;
  count: number;
  lastSeen: number;
  lastWritten: number;
}

/** Reports findings by events. A repeated finding is counted in the series of its first event. */
export class RepairEvents {
  readonly #parts: OwnParts;
  readonly #controller: string;
  readonly #instance: string;
  readonly #log: Log;
  readonly #reported = new Map<string, ReportedEvent>();
  /** The time in the name of the last event. A second event at the same time gets a later one. */
  #lastNanos = 0n;

  constructor(
    parts: OwnParts,
    { controller, hostname, log }: { controller: string; hostname: string; log: Log },
  ) {
    this.#parts = parts;
    this.#controller = controller;
    this.#instance = `${controller}-${hostname}`;
    this.#log = log;
  }

  /** Reports a finding. An error is only logged, so that the repair goes on. */
  async report(regarding: Regarding, finding: Finding): Promise<void> {
    try {
      await this.#report(regarding, finding);
    } catch (error) {
      this.#log.error("writing an event failed", error, { reason: finding.reason });
    }
  }

  async #report(regarding: Regarding, finding: Finding): Promise<void> {
    const now = this.#parts.environment.clock.now();
    for (const [key, event] of this.#reported)
      if (now - event.lastSeen > finishMs) this.#reported.delete(key);
    const key = JSON.stringify([referenceTo(regarding), finding.reason, finding.action]);
    const reported = this.#reported.get(key);
    if (reported) await this.#repeat(reported, now);
    else {
      const event = await this.#first(regarding, finding);
      if (event) this.#reported.set(key, { key: event, count: 1, lastSeen: now, lastWritten: now });
    }
  }

  async #first(
    regarding: Regarding,
    { reason, action, note }: Finding,
  ): Promise<ObjectKey | undefined> {
    const { reader, writer, environment } = this.#parts;
    if (!reader.serves(Event)) return undefined;
    const name = this.#name(regarding.metadata.name ?? "");
    const namespace = regarding.metadata.namespace ?? "default";
    await writer.create(Event, {
      metadata: { name, namespace },
      eventTime: formatMicroTime(timeFromMillis(environment.clock.now())),
      reportingController: this.#controller,
      reportingInstance: this.#instance,
      action,
      reason,
      regarding: referenceTo(regarding),
      note,
      type: "Warning",
    });
    return { namespace, name };
  }

  async #repeat(event: ReportedEvent, now: number): Promise<void> {
    event.count++;
    event.lastSeen = now;
    if (event.count > 2 && now - event.lastWritten < refreshMs) return;
    event.lastWritten = now;
    const { key, count } = event;
    const series = { count, lastObservedTime: formatMicroTime(timeFromMillis(now)) };
    await this.#parts.writer.update(Event, key, (existing) => ({ ...existing, series }));
  }

  #name(of: string): string {
    const nanos = BigInt(this.#parts.environment.clock.now()) * 1_000_000n;
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    const name = `${of}.${this.#lastNanos.toString(16)}`;
    return nameIsDnsSubdomain(name, false).length === 0
      ? name
      : this.#parts.environment.entropy.uuid();
  }
}

/** Writes an event of the core group, without a series. */
export async function reportOnce(
  { writer, environment }: OwnParts,
  regarding: Regarding,
  { component, reason, message }: { component: string; reason: string; message: string },
): Promise<void> {
  const now = environment.clock.now();
  const time = formatTime(timeFromMillis(now));
  const nanos = BigInt(now) * 1_000_000n;
  await writer.create(CoreEvent, {
    metadata: {
      name: `${regarding.metadata.name}.${nanos.toString(16)}`,
      namespace: regarding.metadata.namespace ?? "default",
    },
    involvedObject: referenceTo(regarding),
    reason,
    message,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: "Warning",
    reportingComponent: component,
  });
}

const referenceTo = ({ kind, apiVersion, metadata }: Regarding) => {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, ...(namespace && { namespace }), name, uid, apiVersion, resourceVersion };
};
