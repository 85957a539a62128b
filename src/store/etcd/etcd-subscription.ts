import type { Clock } from "../../base/clock.ts";
import { StoreError, type SubscribeOptions, type Subscriber, type WatchBatch } from "../store.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { storeEvents } from "./etcd-entry.ts";
import { readFault } from "./etcd-fault.ts";
import { EtcdFollower } from "./etcd-follower.ts";
import { allKeys, type EtcdKeys } from "./etcd-keys.ts";
import type { Event } from "./etcd-messages.ts";
import { currentRevision } from "./etcd-revisions.ts";

export interface EtcdSubscriptionOptions extends SubscribeOptions {
  readonly prefix: string;
  readonly subscriber: Subscriber;
}

export interface EtcdSubscriptionSource {
  readonly cluster: EtcdCluster;
  readonly clock: Clock;
  readonly keys: EtcdKeys;
  /** Returns the bytes that are being written under a key, if they are equal. */
  readonly known: (key: string, value: Uint8Array) => Uint8Array;
  /** Whether etcd reports watch progress correctly on request. */
  readonly tellsProgress: boolean;
  /** Called once, when the subscriber will receive nothing more. */
  readonly isOver: () => void;
}

/** A subscriber of a prefix. */
export class EtcdSubscription {
  /** Whether it receives every revision, not only those that touch its prefix. */
  readonly isWhole: boolean;
  readonly #options: EtcdSubscriptionOptions;
  readonly #source: EtcdSubscriptionSource;
  readonly #follower: EtcdFollower | undefined;
  #isOver = false;

  constructor(options: EtcdSubscriptionOptions, source: EtcdSubscriptionSource) {
    const { prefix, from, progress = false } = options;
    this.#options = options;
    this.#source = source;
    this.isWhole = progress;
    const asksProgress = progress && source.tellsProgress;
    // If progress cannot be requested, watch all keys: that shows every commit, whatever etcd's version.
    const range = progress && !asksProgress ? allKeys : source.keys.range(prefix);
    if (!Number.isSafeInteger(from) || range === undefined) {
      const message = `a revision is a whole number, not ${from}`;
      void Promise.resolve().then(() => this.end(new StoreError("Invalid", message)));
      return;
    }
    this.#follower = new EtcdFollower({
      cluster: source.cluster,
      clock: source.clock,
      range,
      from,
      asksProgress,
      currentRevision: () => currentRevision(source.cluster),
      revision: (revision, events) => this.#take(revision, events),
      end: (error) => this.end(error),
    });
  }

  /** The current revision when it began. */
  get begunAt(): number {
    return this.#follower?.begunAt ?? 0;
  }

  /**
   * Resolves when the subscriber has received a revision, if it concerns the prefix; `changed` are the
   * keys that it is known to have changed.
   */
  async shown(revision: number, changed: readonly string[] = []): Promise<void> {
    const { prefix } = this.#options;
    const isInRange = changed.some((key) => key.startsWith(prefix));
    if (this.isWhole || isInRange) await this.#follower?.reached(revision, isInRange);
  }

  /** Ends it and passes the reason to the subscriber. */
  end(error: StoreError): void {
    if (this.#isOver) return;
    this.stop();
    try {
      this.#options.subscriber.end(error);
    } catch {
      // The subscription is over: an error of the subscriber does not matter.
    }
  }

  /** Ends it without notifying the subscriber. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#follower?.stop();
    this.#source.isOver();
  }

  #take(revision: number, all: readonly Event[]): void {
    const { prefix } = this.#options;
    try {
      const events = storeEvents(all, { ...this.#source, prefix });
      if (events.length > 0 || this.isWhole) this.#hand({ revision, events });
    } catch (error) {
      this.end(readFault(error));
    }
  }

  #hand(batch: WatchBatch): void {
    try {
      this.#options.subscriber.batch(batch);
    } catch (cause) {
      this.end(new StoreError("Invalid", "the subscriber threw", { cause }));
    }
  }
}
