import { Event as CoreEvent } from "../../api/core/v1/event/event.ts";
import { Event } from "../../api/events/v1/event.ts";
import type { Log } from "../../base/log.ts";
import { nameIsDnsSubdomain } from "../../schema/values/names.ts";
import { formatMicroTime, formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { canonical } from "../objects/object.ts";
import { addressOf } from "../objects/reader.ts";
import { serverContext } from "../server-context.ts";
import { create } from "../verbs/create.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

/** What is told of an object, and what is done about it. */
export interface Finding {
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** How long the same finding counts as going on. */
const finishMs = 6 * 60_000;
/** How often what goes on is written down again, lest it be forgotten. */
const refreshMs = 30 * 60_000;

interface Told {
  readonly address: Address;
  count: number;
  lastSeen: number;
  lastWritten: number;
}

/** Tells people of findings by events; the same finding again is one event that has happened more often. */
export class RepairEvents {
  readonly #parts: VerbParts;
  readonly #controller: string;
  readonly #instance: string;
  readonly #log: Log;
  readonly #told = new Map<string, Told>();
  /** Of two events at the same time the second is a little later, to have a name of its own. */
  #lastNanos = 0n;

  constructor(
    parts: VerbParts,
    { controller, hostname, log }: { controller: string; hostname: string; log: Log },
  ) {
    this.#parts = parts;
    this.#controller = controller;
    this.#instance = `${controller}-${hostname}`;
    this.#log = log;
  }

  /** Tells of a finding; that it cannot be told is no reason not to repair it. */
  async tell(regarding: ApiObject, finding: Finding): Promise<void> {
    try {
      await this.#tell(regarding, finding);
    } catch (error) {
      this.#log.error("event could not be written", error, { reason: finding.reason });
    }
  }

  async #tell(regarding: ApiObject, finding: Finding): Promise<void> {
    const now = this.#parts.environment.clock.now();
    for (const [key, told] of this.#told)
      if (now - told.lastSeen > finishMs) this.#told.delete(key);
    const key = JSON.stringify([referenceTo(regarding), finding.reason, finding.action]);
    const told = this.#told.get(key);
    if (told) await this.#again(told, now);
    else {
      const address = await this.#first(regarding, finding);
      if (address) this.#told.set(key, { address, count: 1, lastSeen: now, lastWritten: now });
    }
  }

  async #first(
    regarding: ApiObject,
    { reason, action, note }: Finding,
  ): Promise<Address | undefined> {
    const { reader, environment } = this.#parts;
    if (!reader.serves(Event)) return undefined;
    const name = this.#name(regarding.metadata.name ?? "");
    const namespace = regarding.metadata.namespace ?? "default";
    const draft = {
      kind: "Event",
      apiVersion: "events.k8s.io/v1",
      metadata: { name, namespace },
      eventTime: formatMicroTime(timeFromMillis(environment.clock.now())),
      reportingController: this.#controller,
      reportingInstance: this.#instance,
      action,
      reason,
      regarding: referenceTo(regarding),
      note,
      type: "Warning",
    };
    const address = addressOf(Event, { namespace, name });
    await create(this.#parts, address, {
      draft: drafted(address.kind, draft),
      context: serverContext(),
    });
    return address;
  }

  async #again(told: Told, now: number): Promise<void> {
    told.count++;
    told.lastSeen = now;
    if (told.count > 2 && now - told.lastWritten < refreshMs) return;
    told.lastWritten = now;
    const { address, count } = told;
    const series = { count, lastObservedTime: formatMicroTime(timeFromMillis(now)) };
    const change = (existing: unknown) =>
      ({ ...structuredClone(existing as ObjectDraft), series }) as ObjectDraft;
    await tolerating(
      ["NotFound"],
      update(this.#parts, { address, subresource: "", isPatch: true, change }, serverContext()),
    );
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
  parts: VerbParts,
  regarding: ApiObject,
  { component, reason, message }: { component: string; reason: string; message: string },
): Promise<void> {
  if (!parts.reader.serves(CoreEvent)) return;
  const namespace = regarding.metadata.namespace ?? "default";
  const time = formatTime(timeFromMillis(parts.environment.clock.now()));
  const nanos = BigInt(parts.environment.clock.now()) * 1_000_000n;
  const name = `${regarding.metadata.name}.${nanos.toString(16)}`;
  const draft = {
    kind: "Event",
    apiVersion: "v1",
    metadata: { name, namespace },
    involvedObject: referenceTo(regarding),
    reason,
    message,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: "Warning",
    reportingComponent: component,
  };
  const address = addressOf(CoreEvent, { namespace, name });
  const context = serverContext();
  await create(parts, address, { draft: drafted(address.kind, draft), context });
}

/** An object as it is when a client has sent it. */
const drafted = (kind: AnyKind, object: object): ObjectDraft =>
  structuredClone(canonical(kind, object)) as ObjectDraft;

const referenceTo = ({ kind, apiVersion, metadata }: ApiObject) => {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, ...(namespace && { namespace }), name, uid, apiVersion, resourceVersion };
};
