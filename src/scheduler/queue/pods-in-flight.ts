import type { ClusterEvent } from "../framework/cluster-event.ts";

/** An event with the object before and after. */
export interface HappenedEvent {
  readonly event: ClusterEvent;
  readonly old?: unknown;
  readonly now?: unknown;
}

/**
 * Records events while pods are being scheduled: a pod that is rejected may have missed one, and would
 * otherwise wait for an event that has already happened.
 *
 *     begin a · x · begin b · y · z    a missed x, y and z; b missed y and z
 *     end a                            x is dropped: no remaining attempt could have missed it
 */
export class PodsInFlight {
  /** The number of events before each attempt, the oldest attempt first. */
  readonly #begun = new Map<string, number>();
  #events: HappenedEvent[] = [];
  /** The number of dropped events. */
  #forgotten = 0;

  get pods(): number {
    return this.#begun.size;
  }

  get events(): readonly HappenedEvent[] {
    return this.#events;
  }

  has(uid: string): boolean {
    return this.#begun.has(uid);
  }

  begin(uid: string): void {
    this.#begun.set(uid, this.#forgotten + this.#events.length);
  }

  /** Records an event, if any attempt is running. */
  happened(event: HappenedEvent): void {
    if (this.#begun.size > 0) this.#events.push(event);
  }

  /** The events since the attempt of a pod began; undefined if none is running. */
  missedBy(uid: string): readonly HappenedEvent[] | undefined {
    const since = this.#begun.get(uid);
    return since === undefined ? undefined : this.#events.slice(since - this.#forgotten);
  }

  end(uid: string): void {
    if (!this.#begun.delete(uid)) return;
    const [oldest = this.#forgotten + this.#events.length] = this.#begun.values();
    const gone = oldest - this.#forgotten;
    if (gone === 0) return;
    this.#events = this.#events.slice(gone);
    this.#forgotten = oldest;
  }

  clear(): void {
    this.#begun.clear();
    this.#events = [];
  }
}
