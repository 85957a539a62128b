import type { CallOptions } from "../call-options.ts";
import type { KubernetesObject } from "../resource-kind.ts";
import { compareVersions, isAtLeast } from "../resource-version.ts";
import { ConditionWaiters } from "./condition-waiters.ts";
import type { Delta } from "./delta-queue.ts";
import { InformerCache } from "./informer-cache.ts";
import { applyEvent, applyList, type ObjectEvent } from "./informer-changes.ts";
import { type TellingOptions, ToldHandler } from "./informer-handler.ts";
import type { InformerMeter } from "./informer-metrics.ts";
import type {
  HandlerOptions,
  HandlerRegistration,
  InformerHandler,
  InformerHealth,
} from "./informer-options.ts";
import type { InformerSink, SourceHealth } from "./informer-source.ts";

/**
 * What all users of an informer share: the cache, how far it has come, and the handlers. What comes
 * from the source is in the cache at once; handlers are told of it soon after, each in its own time.
 */
export class SharedInformer<O> implements InformerSink<O> {
  readonly cache: InformerCache<O>;
  readonly counts: InformerMeter;
  readonly health: SourceHealth = {
    state: "listing",
    lastHeardAt: undefined,
    lastError: undefined,
    lists: 0,
    resumes: 0,
    stalls: 0,
  };
  readonly #options: Omit<TellingOptions, "resyncMs">;
  readonly #handlers = new Set<ToldHandler<O>>();
  readonly #waiters = new ConditionWaiters();
  #version = "";
  #healed = 0;
  #isClosed = false;

  constructor(options: Omit<TellingOptions, "resyncMs">) {
    const { log, meter } = options;
    this.#options = options;
    this.counts = meter;
    this.cache = new InformerCache<O>((error, index) =>
      log.error("an indexer failed", error, { index }),
    );
  }

  get version(): string {
    return this.#version;
  }

  get hasSynced(): boolean {
    return this.#version !== "";
  }

  get healthNow(): InformerHealth {
    return { ...this.health, healed: this.#healed };
  }

  listed(objects: Map<string, O>, version: string): void {
    if (this.#isClosed) return;
    const isFirst = !this.hasSynced;
    this.#version = version;
    this.counts.reached(version);
    if (isFirst) {
      this.cache.fill(objects);
      for (const handler of this.#handlers) handler.start(this.cache.list());
    } else {
      const deltas = applyList(this.cache, objects);
      this.#healed += deltas.length;
      this.counts.healed(deltas.length);
      this.#tell(deltas);
    }
    this.#waiters.settle();
  }

  happened(event: ObjectEvent<O>): void {
    if (this.#isClosed) return;
    this.#tell(applyEvent(this.cache, event, this.#version));
    this.progressed((event.object as KubernetesObject).metadata.resourceVersion ?? "");
  }

  progressed(version: string): void {
    if (this.#isClosed || (compareVersions(version, this.#version) ?? 1) <= 0) return;
    this.#version = version;
    this.counts.reached(version);
    this.#waiters.settle();
  }

  addHandler(handler: InformerHandler<O>, how: HandlerOptions = {}): HandlerRegistration {
    if (this.#isClosed) throw new Error(closed);
    const { resyncMs = 0 } = how;
    const told = new ToldHandler<O>(
      handler,
      { ...this.#options, resyncMs },
      {
        present: () => (this.hasSynced ? this.cache.list() : undefined),
        onTold: () => this.#waiters.settle(),
      },
    );
    this.#handlers.add(told);
    return {
      get hasSynced() {
        return told.hasSynced;
      },
      synced: ({ signal } = {}) => this.#waiters.until(() => told.hasSynced, signal),
      remove: () => {
        told.remove();
        this.#handlers.delete(told);
        this.#waiters.settle();
      },
    };
  }

  synced({ signal }: CallOptions = {}): Promise<void> {
    return this.#waiters.until(() => this.hasSynced, signal);
  }

  reached(version: string, { signal }: CallOptions = {}): Promise<void> {
    /** How much each handler is to be told; known once the version is reached. */
    let targets: readonly (readonly [ToldHandler<O>, number])[] | undefined;
    return this.#waiters.until(() => {
      if (!targets && this.hasSynced && isAtLeast(this.#version, version))
        targets = [...this.#handlers].map((handler) => [handler, handler.received] as const);
      return targets?.every(([handler, count]) => handler.told >= count) ?? false;
    }, signal);
  }

  close(): void {
    this.#isClosed = true;
    this.health.state = "closed";
    for (const handler of this.#handlers) handler.remove();
    this.#handlers.clear();
    this.#waiters.close(new Error(closed));
  }

  #tell(deltas: readonly Delta<O>[]): void {
    for (const delta of deltas) for (const handler of this.#handlers) handler.push(delta);
  }
}

const closed = "the informer is closed";
