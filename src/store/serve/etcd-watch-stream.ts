import type { Clock, Timer } from "../../base/clock.ts";
import type { Sent } from "../../base/protobuf-message.ts";
import type { Random } from "../../base/random.ts";
import type { GrpcReply } from "../../platform/grpc/grpc-server.ts";
import type { WatchCreateRequest, WatchRequest, WatchResponse } from "../etcd/etcd-messages.ts";
import { StoreError, type WatchBatch } from "../store.ts";
import { hasAttachments } from "./attachment.ts";
import { maxRequestBytes } from "./check-requests.ts";
import { asEtcdError } from "./etcd-errors.ts";
import { fragments } from "./fragments.ts";
import { headerOf } from "./header.ts";
import type { Served } from "./kv-handlers.ts";
import { eventsFor, type Wanted, wantedBy } from "./watch-events.ts";

export interface WatchServing extends Omit<Served, "leases"> {
  readonly clock: Clock;
  readonly random: Random;
}

interface Watcher {
  readonly id: number;
  readonly wanted: Wanted;
  readonly isFragmented: boolean;
  readonly wantsProgress: boolean;
  /** Whether no event was sent since the last progress notification. */
  isQuiet: boolean;
  /** All earlier revisions were sent. */
  next: number;
  /** Aborts reading the history; undefined once it was read completely. */
  pastEnds: AbortController | undefined;
}

/** The interval of progress notifications. */
const progressMs = 10 * 60_000;
/** The watch id of responses that concern all watches of a stream, or none. */
const noId = -1;

/**
 * The watches of one stream. All of them follow one feed of the store; a watch that begins in the past
 * first reads that for itself, and joins the feed where it meets it:
 *
 *     feed               101 102 103 104
 *     watch from 98   98 99 100 101 |103 104       103 is the first it has from the feed
 *
 * A commit is sent to all watches synchronously, so that `#reached` is never ahead of
 * what they were told.
 */
export class WatchStream {
  readonly #served: WatchServing;
  readonly #reply: GrpcReply<WatchResponse>;
  readonly #watchers = new Map<number, Watcher>();
  /** Revisions of pending progress requests, which wait for all watches to reach them. */
  #progressAsked: number[] = [];
  /** All live watches have received the events up to this revision. */
  #reached: number;
  #nextId = 0;
  #sent: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  readonly #failed: { readonly promise: Promise<never>; reject(error: unknown): void };

  constructor(served: WatchServing, reply: GrpcReply<WatchResponse>) {
    this.#served = served;
    this.#reply = reply;
    this.#reached = served.store.view().revision;
    let reject: (error: unknown) => void = () => undefined;
    const promise = new Promise<never>((_, fail) => {
      reject = fail;
    });
    this.#failed = { promise, reject };
  }

  /** Handles requests until the caller disconnects. */
  async run(requests: AsyncIterable<WatchRequest>): Promise<void> {
    this.#armProgress();
    try {
      await Promise.race([this.#follow(), this.#take(requests), this.#failed.promise]);
    } catch (error) {
      throw asEtcdError(error);
    } finally {
      this.#timer?.cancel();
      for (const { pastEnds } of this.#watchers.values()) pastEnds?.abort();
    }
  }

  async #take(requests: AsyncIterable<WatchRequest>): Promise<void> {
    for await (const { create_request, cancel_request, progress_request } of requests) {
      if (create_request) await this.#create(create_request);
      else if (cancel_request) await this.#cancel(cancel_request.watch_id);
      else if (progress_request) {
        this.#progressAsked.push(this.#served.store.view().revision);
        this.#answerProgress();
      }
    }
    // A caller that sends no more requests still receives events.
    await this.#failed.promise;
  }

  async #create(request: WatchCreateRequest): Promise<void> {
    const { revision } = this.#served.store.view();
    const wanted = wantedBy(request);
    const isEmpty = isEmptyRange(request);
    if (isEmpty || (request.watch_id !== 0 && this.#watchers.has(request.watch_id))) {
      await this.#send(revision, {
        watch_id: noId,
        created: true,
        canceled: true,
        cancel_reason: isEmpty
          ? "mvcc: watcher range is empty"
          : "mvcc: duplicate watch ID provided on the WatchStream",
      });
      return;
    }
    const watcher: Watcher = {
      id: request.watch_id || this.#freeId(),
      wanted,
      isFragmented: request.fragment,
      wantsProgress: request.progress_notify,
      isQuiet: true,
      next: request.start_revision === 0 ? revision + 1 : request.start_revision,
      pastEnds: undefined,
    };
    this.#watchers.set(watcher.id, watcher);
    const told = this.#send(revision, { watch_id: watcher.id, created: true });
    if (watcher.next <= this.#reached) void this.#readPast(watcher);
    await told;
  }

  async #cancel(id: number): Promise<void> {
    const watcher = this.#watchers.get(id);
    if (!watcher) return;
    this.#drop(watcher);
    await this.#send(this.#served.store.view().revision, { watch_id: id, canceled: true });
    this.#answerProgress();
  }

  #drop({ id, pastEnds }: Watcher): void {
    this.#watchers.delete(id);
    pastEnds?.abort();
  }

  #freeId(): number {
    while (this.#watchers.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }

  /** Delivers every commit to the live watches; never ends by itself. */
  async #follow(): Promise<void> {
    const { store } = this.#served;
    for (;;) {
      const { signal } = this.#reply;
      try {
        for await (const batch of store.watch("", { from: this.#reached, signal })) {
          const sent = [...this.#watchers.values()]
            .filter(({ pastEnds, next }) => pastEnds === undefined && next <= batch.revision)
            .map((watcher) => this.#tell(watcher, batch));
          this.#reached = batch.revision;
          this.#answerProgress();
          await Promise.all(sent);
        }
        return;
      } catch (error) {
        // A slow caller continues where it was: missed commits are in the history.
        if (isCode(error, "SlowWatcher")) continue;
        if (!isCode(error, "Compacted")) throw error;
        const { compacted } = store.view();
        for (const watcher of this.#watchers.values())
          if (watcher.pastEnds === undefined && watcher.next <= compacted)
            this.#passCompacted(watcher);
        this.#reached = compacted;
      }
    }
  }

  /** Reads the history for one watch until it meets the feed. */
  async #readPast(watcher: Watcher): Promise<void> {
    const { store } = this.#served;
    const ends = new AbortController();
    watcher.pastEnds = ends;
    try {
      while (watcher.next <= this.#reached) {
        const { compacted } = store.view();
        if (compacted > 0 && watcher.next <= compacted) {
          if (this.#passCompacted(watcher)) continue;
          return;
        }
        // Leases are stored in other keys: if there are any, whole commits are needed.
        const prefix = hasAttachments(store.view()) ? "" : watcher.wanted.range.prefix;
        const from = Math.max(0, watcher.next - 1);
        await this.#readFrom(
          watcher,
          store.watch(prefix, { from, progress: true, signal: ends.signal }),
        );
        if (ends.signal.aborted) return;
      }
      watcher.pastEnds = undefined;
      this.#answerProgress();
    } catch (error) {
      this.#failed.reject(error);
    }
  }

  async #readFrom(watcher: Watcher, batches: AsyncIterable<WatchBatch>): Promise<void> {
    try {
      for await (const batch of batches) {
        await this.#tell(watcher, batch);
        if (watcher.next > this.#reached) return;
      }
    } catch (error) {
      if (!isCode(error, "SlowWatcher") && !isCode(error, "Compacted")) throw error;
    }
  }

  /** Sends a commit to a watch; batches are written synchronously and stay in order. */
  #tell(watcher: Watcher, batch: WatchBatch): Promise<void> {
    watcher.next = batch.revision + 1;
    const { store } = this.#served;
    const events = eventsFor(batch, watcher.wanted, store.view());
    if (events.length === 0) return Promise.resolve();
    watcher.isQuiet = false;
    const response = { watch_id: watcher.id, events };
    const parts = watcher.isFragmented ? fragments(response, maxRequestBytes) : [response];
    return Promise.all(parts.map((part) => this.#send(batch.revision, part))).then(() => undefined);
  }

  /**
   * For a watch that starts at or before the compacted revision: sends that revision if it is the next
   * and known, otherwise cancels the watch with the oldest known revision. Returns whether the watch
   * continues.
   */
  #passCompacted(watcher: Watcher): boolean {
    const view = this.#served.store.view();
    const { revision, compacted } = view;
    const events = view.compactedEvents();
    if (events && watcher.next === compacted) {
      void this.#tell(watcher, { revision: compacted, events });
      return true;
    }
    this.#drop(watcher);
    const compact_revision = events ? compacted : compacted + 1;
    void this.#send(revision, { watch_id: watcher.id, canceled: true, compact_revision });
    this.#answerProgress();
    return false;
  }

  /** Responds to progress requests that all watches have reached. */
  #answerProgress(): void {
    if (this.#progressAsked.length === 0) return;
    let reached = this.#reached;
    for (const { pastEnds, next } of this.#watchers.values()) {
      if (pastEnds) reached = Math.min(reached, next - 1);
    }
    const due = this.#progressAsked.filter((revision) => revision <= reached);
    this.#progressAsked = this.#progressAsked.filter((revision) => revision > reached);
    for (const revision of due) void this.#send(revision, { watch_id: noId });
  }

  #armProgress(): void {
    const { clock, random } = this.#served;
    const delay = progressMs * (1 + random.next() / 10);
    this.#timer = clock.setTimer(delay, () => {
      for (const watcher of this.#watchers.values()) {
        const { id, wantsProgress, isQuiet, pastEnds, next } = watcher;
        const isThere = pastEnds === undefined && next === this.#reached + 1;
        if (wantsProgress && isQuiet && isThere) void this.#send(this.#reached, { watch_id: id });
        watcher.isQuiet = true;
      }
      this.#armProgress();
    });
  }

  /** Sends after everything sent before; a disconnected caller ends the stream. */
  #send(revision: number, response: Sent<WatchResponse>): Promise<void> {
    const header = headerOf(this.#served.member, revision);
    this.#sent = this.#sent.then(() => this.#reply.send({ header, ...response }));
    this.#sent.catch((error: unknown) => this.#failed.reject(error));
    return this.#sent;
  }
}

function isEmptyRange({ key, range_end: end }: WatchCreateRequest): boolean {
  const isOpen = end.length === 0 || (end.length === 1 && end[0] === 0);
  return !isOpen && Buffer.compare(key, end) >= 0;
}

function isCode(error: unknown, code: StoreError["code"]): error is StoreError {
  return error instanceof StoreError && error.code === code;
}
