import { abortReason } from "../../base/abort-reason.ts";
import type { SelectOptions, Selector } from "../../client/call-options.ts";
import { ConditionWaiters } from "../../client/informer/condition-waiters.ts";
import type { Informer, InformerOptions } from "../../client/informer/informer-options.ts";
import type { Informers } from "../../client/informer/informers.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../../client/resource-kind.ts";
import { isAtLeast } from "../../client/resource-version.ts";
import { controllerOf } from "../objects/owner-references.ts";
import type { OwnWrite } from "./own-write.ts";
import type { FollowedKind } from "./own-writes.ts";

/** Reads from informers. The first read of a kind starts its informer and waits for its list. */
export interface Cache {
  get<O>(kind: ResourceKind<O>, key: ObjectKey): Promise<O | undefined>;
  list<O>(
    kind: ResourceKind<O>,
    options?: {
      readonly namespace?: string | undefined;
      readonly labelSelector?: Selector | undefined;
    },
  ): Promise<readonly O[]>;
  /** The objects that have one of some values in an index of `CacheScope`. */
  byIndex<O>(kind: ResourceKind<O>, index: string, ...values: string[]): Promise<readonly O[]>;
  /** The objects whose controller is `owner`. */
  controlledBy<O>(kind: ResourceKind<O>, owner: KubernetesObject): Promise<readonly O[]>;
  /** The objects of a namespace that have no controller, and may be adopted. */
  orphans<O>(kind: ResourceKind<O>, namespace: string | undefined): Promise<readonly O[]>;
}

/** Which objects of a kind a cache holds, and which part of them. */
export interface CacheScope {
  readonly kind: ResourceKind;
  readonly options: InformerOptions<unknown>;
}

/** Declares which objects of a kind a manager's cache holds, and its indexes. */
export function cached<O>(kind: ResourceKind<O>, options: InformerOptions<O>): CacheScope {
  return { kind, options: options as InformerOptions<unknown> };
}

export interface ManagerCacheOptions {
  readonly informers: Informers;
  readonly scopes?: readonly CacheScope[] | undefined;
}

/** The informers of a manager, one for each kind that is read. */
export class ManagerCache {
  readonly #options: ManagerCacheOptions;
  readonly #kinds = new Map<string, CachedKind<unknown>>();
  /** The highest version that was written of resources without a cache, by resource. */
  readonly #unread = new Map<string, string>();

  constructor(options: ManagerCacheOptions) {
    this.#options = options;
  }

  /** The informer of a kind, started at the first call. */
  of<O>(kind: ResourceKind<O>): CachedKind<O> {
    const text = kindText(kind);
    let found = this.#kinds.get(text) as CachedKind<O> | undefined;
    if (!found) {
      const scope = this.#options.scopes?.find((one) => kindText(one.kind) === text)?.options;
      const options = (scope ?? {}) as InformerOptions<O>;
      found = new CachedKind(this.#options.informers.of(kind, options), options);
      this.#kinds.set(text, found as CachedKind<unknown>);
    }
    return found;
  }

  /** The informers of a resource: there may be one for each version, and for metadata only. */
  followed({ group, plural }: Pick<OwnWrite, "group" | "plural">): readonly FollowedKind[] {
    return [...this.#kinds.values()].filter(
      ({ kind }) => kind.group === group && kind.plural === plural,
    ) as unknown as readonly FollowedKind[];
  }

  /** Remembers writes to resources without a cache: a cache that starts later must not be older. */
  wroteUnread(writes: readonly OwnWrite[]): void {
    for (const write of writes) {
      if (write.type !== "written") continue;
      const text = resourceText(write);
      const known = this.#unread.get(text);
      if (known === undefined || isAtLeast(write.resourceVersion, known))
        this.#unread.set(text, write.resourceVersion);
    }
  }

  /** A reader that first waits for `isFresh` of the kind. */
  reader(signal: AbortSignal, isFresh?: (kind: ResourceKind) => Promise<void>): Cache {
    const known = new Map<ResourceKind, Informer<unknown>>();
    const ready = async <O>(kind: ResourceKind<O>): Promise<Informer<O>> => {
      let informer = known.get(kind) as Informer<O> | undefined;
      if (!informer) {
        informer = await synced(kind);
        known.set(kind, informer as Informer<unknown>);
      }
      await isFresh?.(kind);
      return informer;
    };
    /** Reads without waiting, where that is possible. */
    const reading = async <O, T>(
      kind: ResourceKind<O>,
      read: (informer: Informer<O>) => T,
    ): Promise<T> => {
      const here = isFresh ? undefined : (known.get(kind) as Informer<O> | undefined);
      return read(here ?? (await ready(kind)));
    };
    const synced = async <O>(kind: ResourceKind<O>): Promise<Informer<O>> => {
      const isNew = !this.#kinds.has(kindText(kind));
      const { informer } = this.of(kind);
      await informer.synced({ signal });
      const unread = isNew ? this.#unread.get(resourceText(kind)) : undefined;
      if (unread !== undefined) await informer.reached(unread, { signal });
      return informer;
    };
    const byController = <O>(kind: ResourceKind<O>, value: string): Promise<readonly O[]> =>
      reading(kind, (informer) => {
        informer.addIndexers(controllerIndexers as typeof controllerIndexers & InformerIndexers<O>);
        return informer.byIndex(controllerIndex, value);
      });
    return {
      get: (kind, key) => reading(kind, (informer) => informer.get(key)),
      list: (kind, options) => reading(kind, (informer) => informer.list(options)),
      byIndex: (kind, index, ...values) =>
        reading(kind, (informer) => {
          const [first, ...found] = values.map((value) => informer.byIndex(index, value));
          return found.length === 0 ? (first ?? []) : [...new Set(first?.concat(...found))];
        }),
      controlledBy: (kind, { metadata }) => byController(kind, metadata.uid ?? ""),
      orphans: (kind, namespace) => byController(kind, orphansIn(namespace)),
    };
  }

  /** Resolves when all informers so far have synced. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from(this.#kinds.values(), ({ informer }) => informer.synced({ signal })),
    );
  }

  /** All informers. */
  get informers(): readonly Informer<unknown>[] {
    return Array.from(this.#kinds.values(), ({ informer }) => informer);
  }

  close(): void {
    for (const one of this.#kinds.values()) one.close();
    this.#kinds.clear();
  }
}

type InformerIndexers<O> = NonNullable<InformerOptions<O>["indexers"]>;

const controllerIndex = "metadata.controller.uid";
const controllerIndexers = {
  [controllerIndex]: (object: unknown): readonly string[] => {
    const one = object as KubernetesObject;
    return [controllerOf(one)?.uid ?? orphansIn(one.metadata.namespace)];
  },
};

/** No uid starts with this. */
const orphansIn = (namespace = ""): string => `orphans in ${namespace}`;

/** An informer, and callers that wait for its objects. */
class CachedKind<O> {
  readonly informer: Informer<O>;
  readonly scope: SelectOptions;
  readonly #waiters = new ConditionWaiters();

  constructor(informer: Informer<O>, scope: SelectOptions) {
    this.informer = informer;
    this.scope = scope;
    const settle = (): void => this.#waiters.settle();
    informer.addHandler({ added: settle, updated: settle, deleted: settle });
  }

  get kind(): ResourceKind<O> {
    return this.informer.kind;
  }

  get resourceVersion(): string {
    return this.informer.resourceVersion;
  }

  get(key: ObjectKey): O | undefined {
    return this.informer.get(key);
  }

  /** Resolves when a condition holds, checked after every change, and when `version` is reached. */
  async until(
    isDone: () => boolean,
    { signal, version }: { readonly signal: AbortSignal; readonly version?: string | undefined },
  ): Promise<void> {
    if (!signal.aborted && isDone()) return;
    const ending = new AbortController();
    if (version !== undefined)
      this.informer.reached(version, { signal: ending.signal }).then(
        () => this.#waiters.settle(),
        () => undefined,
      );
    try {
      await this.#waiters.until(isDone, signal);
    } finally {
      ending.abort(abortReason);
    }
  }

  close(): void {
    this.#waiters.close(new Error("the cache is closed"));
    this.informer.close();
  }
}

const kindText = ({ group, version, plural, isMetadataOnly = false }: ResourceKind): string =>
  `${group}/${version}/${plural}/${isMetadataOnly}`;
const resourceText = ({ group, plural }: Pick<ResourceKind, "group" | "plural">): string =>
  `${group}/${plural}`;
