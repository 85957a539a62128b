import type { CallOptions } from "../call-options.ts";
import type { KubernetesObject } from "../resource-kind.ts";
import { compareVersions, isAtLeast } from "../resource-version.ts";
import { applyEvent, applyList, type ObjectEvent } from "./apply-changes.ts";
import { ConditionWaiters } from "./condition-waiters.ts";
import type { Delta } from "./delta-queue.ts";
import { InformerCache } from "./informer-cache.ts";
import { RegisteredHandler, type RegisteredHandlerOptions } from "./informer-handler.ts";
import type { InformerMeter } from "./informer-metrics.ts";
import type {
  HandlerOptions,
  HandlerRegistration,
  InformerHandler,
  InformerHealth,
} from "./informer-options.ts";
import type { ReflectorHealth, ReflectorStore } from "./reflector.ts";

/**
 * An informer that its users share: the cache, its resourceVersion and the handlers. Changes are in the
 * cache at once; handlers are called soon after, each from its own queue.
 */
export class SharedInformer<O> implements ReflectorStore<O> {
  readonly cache: InformerCache<O>;
  readonly counts: InformerMeter;
  readonly health: ReflectorHealth = {
    state: "listing",
    lastActivityAt: undefined,
    lastError: undefined,
    lists: 0,
    resumes: 0,
    stalls: 0,
  };
  readonly #options: Omit<RegisteredHandlerOptions, "resyncMs">;
  readonly #handlers = new Set<RegisteredHandler<O>>();
  readonly #waiters = new ConditionWaiters();
  #version = "";
  #changesFoundByRelist = 0;
  #isClosed = false;

  constructor(options: Omit<RegisteredHandlerOptions, "resyncMs">) {
    const { log, meter } = options;
    this.#options = options;
    this.counts = meter;
    this.cache = new InformerCache<O>((error, index) =>
      log.error("indexer failed", error, { index }),
    );
  }

  get version(): string {
    return this.#version;
  }

  get hasSynced(): boolean {
    return this.#version !== "";
  }

  get healthNow(): InformerHealth {
    return { ...this.health, changesFoundByRelist: this.#changesFoundByRelist };
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
      this.#changesFoundByRelist += deltas.length;
      this.counts.changesFoundByRelist(deltas.length);
      this.#enqueue(deltas);
    }
    this.#waiters.settle();
  }

  happened(event: ObjectEvent<O>): void {
    if (this.#isClosed) return;
    this.#enqueue(applyEvent(this.cache, event, this.#version));
    this.progressed((event.object as KubernetesObject).metadata.resourceVersion ?? "");
  }

  progressed(version: string): void {
    if (this.#isClosed || (compareVersions(version, this.#version) ?? 1) <= 0) return;
    this.#version = version;
    this.counts.reached(version);
    this.#waiters.settle();
  }

  failed(): void {
    this.#waiters.settle();
  }

  addHandler(handler: InformerHandler<O>, how: HandlerOptions = {}): HandlerRegistration {
    if (this.#isClosed) throw new Error(closed);
    const { resyncMs = 0 } = how;
    const registered = new RegisteredHandler<O>(
      handler,
      { ...this.#options, resyncMs },
      {
        present: () => (this.hasSynced ? this.cache.list() : undefined),
        onDelivered: () => this.#waiters.settle(),
      },
    );
    this.#handlers.add(registered);
    return {
      get hasSynced() {
        return registered.hasSynced;
      },
      synced: ({ signal } = {}) => this.#waiters.until(() => registered.hasSynced, signal),
      remove: () => {
        registered.remove();
        this.#handlers.delete(registered);
        this.#waiters.settle();
      },
    };
  }

  synced({ signal }: CallOptions = {}): Promise<void> {
    return this.#waiters.until(() => this.hasSynced, signal);
  }

  tried({ signal }: CallOptions = {}): Promise<void> {
    return this.#waiters.until(() => this.hasSynced || this.health.lastError !== undefined, signal);
  }

  reached(version: string, { signal }: CallOptions = {}): Promise<void> {
    /**
     * The number of calls that each handler must have received; known once the version is in the cache.
     */
    let targets: readonly (readonly [RegisteredHandler<O>, number])[] | undefined;
    return this.#waiters.until(() => {
      if (!targets && this.hasSynced && isAtLeast(this.#version, version))
        targets = [...this.#handlers].map((handler) => [handler, handler.received] as const);
      return targets?.every(([handler, count]) => handler.delivered >= count) ?? false;
    }, signal);
  }

  close(): void {
    this.#isClosed = true;
    this.health.state = "closed";
    for (const handler of this.#handlers) handler.remove();
    this.#handlers.clear();
    this.#waiters.close(new Error(closed));
  }

  #enqueue(deltas: readonly Delta<O>[]): void {
    for (const delta of deltas) for (const handler of this.#handlers) handler.push(delta);
  }
}

const closed = "the informer is closed";
