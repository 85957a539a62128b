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
  /** Called once, when nothing more will be handed to the subscriber. */
  readonly isOver: () => void;
}

/** One who is told of what happens under a prefix. */
export class EtcdSubscription {
  /** Whether it sees every revision, and not only those that touch its prefix. */
  readonly isWhole: boolean;
  readonly #options: EtcdSubscriptionOptions;
  readonly #source: EtcdSubscriptionSource;
  readonly #follower: EtcdFollower | undefined;
  #isOver = false;

  constructor(options: EtcdSubscriptionOptions, source: EtcdSubscriptionSource) {
    const { prefix, from, progress = false } = options;
    this.#options = options;
    this.#source = source;
    // Who is to know of every commit follows all keys: that shows each, whatever etcd's version.
    this.isWhole = progress;
    const range = progress ? allKeys : source.keys.range(prefix);
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
      currentRevision: () => currentRevision(source.cluster),
      revision: (revision, events) => this.#take(revision, events),
      end: (error) => this.end(error),
    });
  }

  /** The revision that was current when it began. */
  get begunAt(): number {
    return this.#follower?.begunAt ?? 0;
  }

  /** Resolves when the subscriber was told of a revision that changed some keys, if it concerns him. */
  async shown(revision: number, keys: readonly string[]): Promise<void> {
    const { prefix } = this.#options;
    if (this.isWhole || keys.some((key) => key.startsWith(prefix)))
      await this.#follower?.reached(revision);
  }

  /** Ends it and tells the subscriber why. */
  end(error: StoreError): void {
    if (this.#isOver) return;
    this.stop();
    try {
      this.#options.subscriber.end(error);
    } catch {
      // He has been told all there is to tell.
    }
  }

  /** Ends it without a word. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#follower?.stop();
    this.#source.isOver();
  }

  #take(revision: number, all: readonly Event[]): void {
    const { prefix } = this.#options;
    try {
      const events = storeEvents(all, this.#source.keys, prefix);
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
