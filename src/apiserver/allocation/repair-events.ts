import { Event as CoreEvent } from "../../api/core/v1/event/event.ts";
import { Event } from "../../api/events/v1/event.ts";
import type { Log } from "../../base/log.ts";
import { nameIsDnsSubdomain } from "../../schema/values/names.ts";
import { formatMicroTime, formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { ApiObject } from "../objects/object.ts";
import type { ObjectKey } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";

/** What is told of an object, and what is done about it. */
export interface Finding {
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** The object that an event is about. */
type Regarding = Pick<ApiObject, "kind" | "apiVersion" | "metadata">;

/** How long the same finding counts as going on. */
const finishMs = 6 * 60_000;
/** How often what goes on is written down again, lest it be forgotten. */
const refreshMs = 30 * 60_000;

interface Told {
  readonly key: ObjectKey;
  count: number;
  lastSeen: number;
  lastWritten: number;
}

/** Tells people of findings by events; the same finding again is one event that has happened more often. */
export class RepairEvents {
  readonly #parts: OwnParts;
  readonly #controller: string;
  readonly #instance: string;
  readonly #log: Log;
  readonly #told = new Map<string, Told>();
  /** Of two events at the same time the second is a little later, to have a name of its own. */
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

  /** Tells of a finding; that it cannot be told is no reason not to repair it. */
  async tell(regarding: Regarding, finding: Finding): Promise<void> {
    try {
      await this.#tell(regarding, finding);
    } catch (error) {
      this.#log.error("event could not be written", error, { reason: finding.reason });
    }
  }

  async #tell(regarding: Regarding, finding: Finding): Promise<void> {
    const now = this.#parts.environment.clock.now();
    for (const [key, told] of this.#told)
      if (now - told.lastSeen > finishMs) this.#told.delete(key);
    const key = JSON.stringify([referenceTo(regarding), finding.reason, finding.action]);
    const told = this.#told.get(key);
    if (told) await this.#again(told, now);
    else {
      const event = await this.#first(regarding, finding);
      if (event) this.#told.set(key, { key: event, count: 1, lastSeen: now, lastWritten: now });
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

  async #again(told: Told, now: number): Promise<void> {
    told.count++;
    told.lastSeen = now;
    if (told.count > 2 && now - told.lastWritten < refreshMs) return;
    told.lastWritten = now;
    const { key, count } = told;
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

/** An event in the older words of v1, of which there is no series. */
export async function tellOnce(
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
