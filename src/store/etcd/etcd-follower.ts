import { type Clock, type Timer, ticksOf } from "../../base/clock.ts";
import { StoreError } from "../store.ts";
import type { EtcdCluster, EtcdStream } from "./etcd-cluster.ts";
import { readFault } from "./etcd-fault.ts";
import type { EtcdRange } from "./etcd-keys.ts";
import type { Event, WatchRequest, WatchResponse } from "./etcd-messages.ts";
import { etcdMethods } from "./etcd-methods.ts";

export interface EtcdFollowerOptions {
  readonly cluster: Pick<EtcdCluster, "stream">;
  readonly clock: Clock;
  readonly range: EtcdRange;
  /** The last revision that is known already. */
  readonly from: number;
  /** The revision that etcd is at, as all its members agree. */
  readonly currentRevision: () => Promise<number>;
  /** All events of one revision, or none where it only says how far it is; revisions only go up. */
  readonly revision: (revision: number, events: readonly Event[]) => void;
  /** Whether etcd is asked how far it is where a revision may not be in the range. */
  readonly asksProgress?: boolean | undefined;
  /** No more will come. */
  readonly end: (error: StoreError) => void;
}

/** How long a member may show nothing of what is known to have happened. */
const stallMs = 2000;
/** How long anybody waits for it. */
const patienceMs = 10_000;
const longestPause = 1000;
/** How often a member is asked how far it is while somebody waits: it says nothing until it has caught up. */
const askMs = 100;

/**
 * Follows a range of etcd's keys from one revision to the next, over as many members as it takes.
 *
 * The watch is asked for from the last revision that was seen on, not from the one after it: etcd
 * refuses it then exactly when something was forgotten that was not seen. What is seen again is
 * dropped.
 */
export class EtcdFollower {
  readonly #options: EtcdFollowerOptions;
  readonly #ticks: () => number;
  /** The newest revision that was handed on. */
  #seen: number;
  /** The revision at which the first watch began; what is not newer is the past. */
  #begunAt = Number.POSITIVE_INFINITY;
  /** Of one revision or several, of which the rest is under way. */
  #fragments: Event[] = [];
  #stream: EtcdStream<WatchRequest> | undefined;
  /** When something was last heard of it, or first waited for. */
  #heardAt = 0;
  #failures = 0;
  #timer: Timer | undefined;
  #nextAsking: Timer | undefined;
  #isCreated = false;
  #isOver = false;
  readonly #waiting = new Set<{ readonly revision: number; readonly done: () => void }>();

  constructor(options: EtcdFollowerOptions) {
    this.#options = options;
    this.#ticks = ticksOf(options.clock);
    this.#seen = options.from;
    // Nothing arrives before whoever makes it has it.
    void Promise.resolve().then(() => this.#open());
  }

  get begunAt(): number {
    return this.#begunAt;
  }

  /**
   * Resolves when a revision was handed on, or it is over; and when etcd cannot be watched for so long
   * that nobody should wait any more. A revision that is not known to be in the range is asked for.
   */
  reached(revision: number, isInRange = false): Promise<void> {
    if (this.#isOver || this.#seen >= revision) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        patience.cancel();
        this.#waiting.delete(waiting);
        resolve();
      };
      const waiting = { revision, done };
      const patience = this.#options.clock.setTimer(patienceMs, done);
      // A member that had nothing to say is not late.
      if (this.#waiting.size === 0) this.#heardAt = this.#ticks();
      this.#waiting.add(waiting);
      this.#mind();
      if (!isInRange) this.#askProgress();
    });
  }

  /** Ends it; nothing more is handed on. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#nextAsking?.cancel();
    this.#stream?.cancel();
    for (const { done } of this.#waiting) done();
  }

  #open(): void {
    if (this.#isOver) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#fragments = [];
    this.#isCreated = false;
    this.#heardAt = this.#ticks();
    try {
      const stream: EtcdStream<WatchRequest> = this.#options.cluster.stream(etcdMethods.watch, {
        message: (response) => this.#stream === stream && this.#take(response),
        end: (error) => this.#stream === stream && this.#lost(error),
      });
      this.#stream = stream;
      const start_revision = Math.max(this.#seen, 1);
      const { key, range_end } = this.#options.range;
      stream.send({
        create_request: { key, range_end, start_revision, prev_kv: true, fragment: true },
      });
      this.#mind();
      this.#askProgress();
    } catch (error) {
      this.#lost(error);
    }
  }

  #take(response: WatchResponse): void {
    const { header, created, events, fragment } = response;
    const revision = header?.revision ?? 0;
    if (isProgress(response)) {
      this.#progress(revision);
      return;
    }
    this.#heardAt = this.#ticks();
    if (response.canceled) {
      this.#cancelled(response);
      return;
    }
    if (created) this.#created(revision);
    this.#fragments.push(...events);
    if (fragment || this.#fragments.length === 0) return;
    this.#failures = 0;
    const whole = this.#fragments;
    this.#fragments = [];
    for (const [revision, group] of byRevision(whole)) {
      if (this.#isOver) return;
      if (revision <= this.#seen) continue;
      this.#seen = revision;
      this.#options.revision(revision, group);
    }
    this.#release();
  }

  /** All events up to a revision have come. A member that says so of less than was seen is late. */
  #progress(revision: number): void {
    if (!this.#options.asksProgress || !this.#isCreated || revision <= this.#seen) return;
    this.#heardAt = this.#ticks();
    this.#failures = 0;
    this.#seen = revision;
    this.#options.revision(revision, []);
    this.#release();
  }

  /** Asks how far the member is, again and again, as long as somebody waits for more. */
  #askProgress(): void {
    if (!this.#options.asksProgress || this.#nextAsking || this.#waiting.size === 0) return;
    this.#stream?.send({ progress_request: {} });
    this.#nextAsking = this.#options.clock.setTimer(askMs, () => {
      this.#nextAsking = undefined;
      this.#askProgress();
    });
  }

  #created(revision: number): void {
    this.#isCreated = true;
    this.#begunAt = Math.min(this.#begunAt, Math.max(revision, this.#options.from));
    if (revision < this.#seen) void this.#checkFuture();
  }

  /** A member that lags knows less than was seen; an etcd that was set back, or is another, too. */
  async #checkFuture(): Promise<void> {
    const seen = this.#seen;
    try {
      const current = await this.#options.currentRevision();
      if (current >= seen || this.#isOver) return;
      const message = `revision ${seen} is in the future; the current one is ${current}`;
      this.#end(new StoreError("FutureRevision", message, { revision: current }));
    } catch {
      // Who cannot be asked is lost soon, and asked again then.
    }
  }

  #cancelled({ compact_revision: compacted, cancel_reason: reason }: WatchResponse): void {
    if (compacted > 0) {
      const message = `revision ${this.#seen} has been compacted; the oldest kept is ${compacted}`;
      this.#end(new StoreError("Compacted", message, { revision: compacted }));
    } else if (/permission denied/.test(reason)) {
      this.#end(new StoreError("Invalid", `etcd refused the watch: ${reason}`));
    } else {
      this.#again();
    }
  }

  #lost(error: unknown): void {
    const fault = readFault(error);
    if (error !== undefined && fault.code === "Invalid") this.#end(fault);
    else this.#again();
  }

  /** Goes on with another member: at once, then with longer and longer pauses. */
  #again(): void {
    if (this.#isOver) return;
    this.#stream?.abandon();
    this.#stream = undefined;
    this.#nextAsking?.cancel();
    this.#nextAsking = undefined;
    const pause = this.#failures === 0 ? 0 : Math.min(20 * 2 ** this.#failures, longestPause);
    this.#failures++;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimer(pause, () => this.#open());
  }

  /** Leaves a member that does not show what others wait for. */
  #mind(): void {
    if (this.#waiting.size === 0 || this.#timer !== undefined || this.#isOver) return;
    const { clock } = this.#options;
    const left = Math.max(0, this.#heardAt + stallMs - this.#ticks());
    this.#timer = clock.setTimer(Math.min(left + 1, stallMs), () => {
      this.#timer = undefined;
      if (this.#waiting.size === 0) return;
      if (this.#ticks() - this.#heardAt >= stallMs) this.#again();
      else this.#mind();
    });
  }

  #release(): void {
    for (const { revision, done } of this.#waiting) if (revision <= this.#seen) done();
    if (this.#waiting.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#nextAsking?.cancel();
    this.#nextAsking = undefined;
  }

  #end(error: StoreError): void {
    if (this.#isOver) return;
    this.stop();
    this.#options.end(error);
  }
}

/** An answer that tells of nothing but the revision. */
const isProgress = ({ created, canceled, fragment, events }: WatchResponse): boolean =>
  !created && !canceled && !fragment && events.length === 0;

/** Events in groups of one revision each, in their order. */
function byRevision(events: readonly Event[]): Map<number, Event[]> {
  const groups = new Map<number, Event[]>();
  for (const event of events) {
    const revision = event.kv?.mod_revision ?? 0;
    const group = groups.get(revision);
    if (group) group.push(event);
    else groups.set(revision, [event]);
  }
  return groups;
}
