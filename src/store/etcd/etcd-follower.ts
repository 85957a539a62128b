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
  /** The last known revision. */
  readonly from: number;
  /** Returns etcd's current revision, by a linearizable read. */
  readonly currentRevision: () => Promise<number>;
  /** Receives all events of one revision, or none for a progress notification; revisions increase. */
  readonly revision: (revision: number, events: readonly Event[]) => void;
  /** Whether to request progress for revisions that may not touch the range. */
  readonly asksProgress?: boolean | undefined;
  /** Called when no more events will arrive. */
  readonly end: (error: StoreError) => void;
}

/** A member that does not send a known revision within this time is left for another. */
const stallMs = 2000;
/** The longest wait for a revision. */
const timeoutMs = 10_000;
const longestPause = 1000;
/**
 * The interval of progress requests while a revision is awaited: a member responds only when it has
 * caught up.
 */
const askMs = 100;

/**
 * Watches a range of etcd keys across failures of members.
 *
 * A new watch starts from the last seen revision, not from the one after it: etcd then rejects it
 * exactly if unseen revisions were compacted. Repeated events are dropped.
 */
export class EtcdFollower {
  readonly #options: EtcdFollowerOptions;
  readonly #ticks: () => number;
  /** The newest revision that was delivered. */
  #seen: number;
  /** The revision at which the first watch began; older ones are history. */
  #begunAt = Number.POSITIVE_INFINITY;
  /** The fragments so far of one or several revisions. */
  #fragments: Event[] = [];
  #stream: EtcdStream<WatchRequest> | undefined;
  /** When the member last sent something, or a wait began. */
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
    // Deliver nothing before the constructor has returned.
    void Promise.resolve().then(() => this.#open());
  }

  get begunAt(): number {
    return this.#begunAt;
  }

  /**
   * Resolves when a revision was delivered, when the watch has ended, or when etcd cannot be watched for
   * too long. Requests progress if the revision may not touch the range.
   */
  reached(revision: number, isInRange = false): Promise<void> {
    if (this.#isOver || this.#seen >= revision) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.#waiting.delete(waiting);
        resolve();
      };
      const waiting = { revision, done };
      const timer = this.#options.clock.setTimer(timeoutMs, done);
      // A member that had nothing to send is not late.
      if (this.#waiting.size === 0) this.#heardAt = this.#ticks();
      this.#waiting.add(waiting);
      this.#mind();
      if (!isInRange) this.#askProgress();
    });
  }

  /** Ends the watch; nothing more is delivered. */
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

  /** All events up to a revision have arrived. A member that reports an older one lags behind. */
  #progress(revision: number): void {
    if (!this.#options.asksProgress || !this.#isCreated || revision <= this.#seen) return;
    this.#heardAt = this.#ticks();
    this.#failures = 0;
    this.#seen = revision;
    this.#options.revision(revision, []);
    this.#release();
  }

  /** Requests progress repeatedly while a later revision is awaited. */
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

  /** An older revision means that the member lags behind, or that etcd was restored or replaced. */
  async #checkFuture(): Promise<void> {
    const seen = this.#seen;
    try {
      const current = await this.#options.currentRevision();
      if (current >= seen || this.#isOver) return;
      const message = `revision ${seen} is in the future; the current one is ${current}`;
      this.#end(new StoreError("FutureRevision", message, { revision: current }));
    } catch {
      // The stream will break soon, and this is checked again then.
    }
  }

  #cancelled({ compact_revision: compacted, cancel_reason: reason }: WatchResponse): void {
    if (compacted > 0) {
      const message = `revision ${this.#seen} has been compacted; the oldest kept is ${compacted}`;
      this.#end(new StoreError("Compacted", message, { revision: compacted }));
    } else if (/permission denied/.test(reason)) {
      this.#end(new StoreError("Invalid", `etcd rejected the watch: ${reason}`));
    } else {
      this.#again();
    }
  }

  #lost(error: unknown): void {
    const fault = readFault(error);
    if (error !== undefined && fault.code === "Invalid") this.#end(fault);
    else this.#again();
  }

  /** Continues with another member: at once, then with growing delays. */
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

  /** Leaves a member that does not send an awaited revision. */
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

/** Whether a response contains only a revision. */
const isProgress = ({ created, canceled, fragment, events }: WatchResponse): boolean =>
  !created && !canceled && !fragment && events.length === 0;

/** Groups events by revision, in order. */
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
