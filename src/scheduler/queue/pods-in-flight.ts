import type { ClusterEvent } from "../framework/cluster-event.ts";

/** Something that happened, and the object before and after. */
export interface HappenedEvent {
  readonly event: ClusterEvent;
  readonly old?: unknown;
  readonly now?: unknown;
}

/**
 * What happens while pods are being scheduled: a pod that is then turned away may have been wrong by
 * the time it is, and would wait for an event that has happened already.
 *
 *     begin a · x · begin b · y · z     a missed x, y and z; b missed y and z
 *     end a                             x is forgotten: nobody is left who could have missed it
 */
export class PodsInFlight {
  /** For each pod how many events there were before it, the oldest first. */
  readonly #begun = new Map<string, number>();
  #events: HappenedEvent[] = [];
  /** How many events were forgotten. */
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

  /** Remembers an event, if anybody could miss it. */
  happened(event: HappenedEvent): void {
    if (this.#begun.size > 0) this.#events.push(event);
  }

  /** What happened since a pod was begun; undefined where it was not. */
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
