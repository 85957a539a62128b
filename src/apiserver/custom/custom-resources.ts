import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import {
  cleanupFinalizer,
  isConditionTrue,
} from "../../api/apiextensions/v1/definition-conditions.ts";
import { pathNotFound } from "../../api/meta/v1/status-error.ts";
import type { Log } from "../../base/log.ts";
import { DelayingQueue } from "../../base/queue/delaying-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import { now } from "../objects/environment.ts";
import type { AnyKind } from "../objects/object.ts";
import type { Resources } from "../objects/resources.ts";
import { storedKind } from "../objects/stored.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { type OwnParts, ownParts, Writer } from "../verbs/writer.ts";
import type { CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";
import { type ConversionParts, convertByWebhook } from "./conversion/webhook-conversion.ts";
import { type CustomState, customKinds } from "./custom-kinds.ts";
import { isServing, nextStatus } from "./definition-status.ts";
import { terminate } from "./terminate-definition.ts";

/** How many definitions are reconciled at a time: their writes share syncs of the store. */
const workers = 16;
/** The delay before a failed step is retried. */
const retryMs = 1000;

/** A definition and the kinds that are served for it. */
interface Served {
  /** The part of the definition that the kinds depend on; they are rebuilt when it changes. */
  readonly source: string;
  readonly kinds: readonly AnyKind[];
}

/**
 * Serves the kinds of CustomResourceDefinitions: follows their changes, builds kinds for established ones, and
 * reconciles the status of the others. Each step is taken as soon as the cache has the one before.
 */
export class CustomResources implements CacheWatcher {
  readonly #parts: OwnParts;
  readonly #resources: Resources;
  /** Writes definitions, which passes admission as it does upstream. */
  readonly #definitionWriter: Writer;
  readonly #log: Log;
  readonly #conversions: () => ConversionParts;
  readonly #served = new Map<string, Served>();
  /** The names of definitions to reconcile. */
  readonly #queue: DelayingQueue<string>;
  /** The last definition of each group that is being reconciled. */
  readonly #lanes = new Map<string, Promise<void>>();
  /** The number of the next change to read. */
  #next = 0;
  #isClosed = false;

  /** `conversions` is called when objects are first converted by a webhook. */
  constructor(parts: VerbParts, log: Log, conversions: () => ConversionParts) {
    this.#conversions = conversions;
    this.#parts = ownParts(parts);
    this.#resources = parts.resources;
    this.#definitionWriter = new Writer(parts);
    this.#log = log;
    const observer = parts.environment.queues?.("crd_naming_condition_controller");
    this.#queue = new DelayingQueue(new WorkQueue(observer), parts.environment.clock, observer);
  }

  /** Serves the established definitions, and follows changes. */
  start(): void {
    this.#follow();
    for (const { metadata } of this.#definitions()) this.#look(metadata.name ?? "");
    this.#work();
  }

  /**
   * Continues after a fork: serves what the parent served, with the kinds of its own cache, and reconciles what
   * the parent had queued.
   */
  resume(from: CustomResources, kindOf: (kind: AnyKind) => AnyKind): void {
    this.#follow();
    for (const [name, { source, kinds }] of from.#served)
      this.#served.set(name, { source, kinds: kinds.map(kindOf) });
    if (this.#served.size > 0) this.#setKinds();
    for (const { metadata } of from.#unfinished()) this.#look(metadata.name ?? "");
    this.#work();
  }

  /** The kinds of every definition that is served, by its name. */
  get served(): Iterable<readonly [name: string, kinds: readonly AnyKind[]]> {
    return Array.from(this.#served, ([name, { kinds }]) => [name, kinds] as const);
  }

  changed(): void {
    const cache = this.#cache;
    if (!cache) return;
    for (; this.#next < cache.endOfEvents; this.#next++) {
      const { type, object } = cache.eventAt(this.#next) ?? {};
      // A definition that became unreadable is served in its last state.
      if (object && (type === "DELETED" || object.isReadable))
        this.#look(object.key.slice(cache.prefix.length));
    }
  }

  end(): void {
    this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.shutDown();
    this.#cache?.watchers.delete(this);
  }

  #follow(): void {
    const cache = this.#cache;
    if (!cache) return;
    this.#next = cache.endOfEvents;
    cache.watchers.add(this);
  }

  /** The queued definitions. */
  #unfinished(): readonly CustomResourceDefinition[] {
    const all = this.#definitions();
    const isAtRest = this.#queue.idle && this.#queue.delayed === 0;
    return isAtRest ? all.filter(({ metadata }) => metadata.deletionTimestamp) : all;
  }

  get #cache(): ResourceCache | undefined {
    return this.#parts.reader.cacheOf(CustomResourceDefinition);
  }

  #definitions(): readonly CustomResourceDefinition[] {
    return this.#parts.reader.listReadable(CustomResourceDefinition);
  }

  #find(name: string): CustomResourceDefinition | undefined {
    return this.#parts.reader.getCached(CustomResourceDefinition, { name });
  }

  /** Serves a definition in its current state, and enqueues it. */
  #look(name: string): void {
    this.#serve(name);
    this.#queue.add(name);
  }

  #serve(name: string): void {
    const definition = this.#find(name);
    const before = this.#served.get(name);
    if (!definition || !isServing(definition) || this.#isTaken(definition)) {
      if (!before) return;
      this.#served.delete(name);
      this.#parts.reader.cache.remove(storedOf(before));
    } else {
      const source = sourceOf(definition);
      if (before?.source === source) return;
      const kinds = this.#kindsOf(definition);
      if (!kinds) return;
      const served = { source, kinds };
      this.#served.set(name, served);
      if (before) this.#parts.reader.cache.remove(storedOf(before));
      this.#parts.reader.cache.add(storedOf(served));
    }
    this.#setKinds();
  }

  #setKinds(): void {
    const all = [...this.#served.values()].flatMap(({ kinds }) => kinds);
    this.#resources.setCustom(all.filter((kind) => this.#isServed(kind)));
  }

  #kindsOf(definition: CustomResourceDefinition): readonly AnyKind[] | undefined {
    const { name = "" } = definition.metadata;
    try {
      return customKinds(definition, this.stateOf(name));
    } catch (error) {
      // Older servers accepted definitions that cannot be served.
      this.#log.error("custom resource cannot be served", error, { name });
      return undefined;
    }
  }

  /** What changes while the kinds of a definition stay the same. */
  stateOf(name: string): Required<CustomState> {
    return {
      ruleTimes: this.#parts.environment.ruleTimes,
      isTerminating: () => {
        const definition = this.#find(name);
        return definition !== undefined && isConditionTrue(definition.status, "Terminating");
      },
      convert: async (objects, desiredVersion) => {
        const definition = this.#find(name);
        if (!definition) throw pathNotFound();
        return convertByWebhook(this.#conversions(), definition, { objects, desiredVersion });
      },
    };
  }

  /** Whether a declared kind uses the same keys in the store. */
  #isTaken({ spec, status }: CustomResourceDefinition): boolean {
    const prefix = `${spec.group}/${status.acceptedNames.plural}`;
    const { kinds } = this.#resources;
    return kinds.some(({ struct, storagePrefix }) => struct && storagePrefix === prefix);
  }

  #isServed({ group, version, plural }: AnyKind): boolean {
    const versions = this.#find(`${plural}.${group}`)?.spec.versions ?? [];
    return versions.some(({ name, served }) => name === version && served);
  }

  #work(): void {
    for (let n = 0; n < workers; n++) void this.#workOn();
  }

  async #workOn(): Promise<void> {
    const queue = this.#queue;
    for (let name = await queue.get(); name !== undefined; name = await queue.get()) {
      await this.#inLane(name);
      queue.done(name);
    }
  }

  /** Reconciles the definitions of a group one after the other: the first to claim a name gets it. */
  async #inLane(name: string): Promise<void> {
    const group = groupOf(name);
    const turn = (this.#lanes.get(group) ?? Promise.resolve()).then(() =>
      this.#isClosed ? undefined : this.#try(name),
    );
    this.#lanes.set(group, turn);
    await turn;
    if (this.#lanes.get(group) === turn) this.#lanes.delete(group);
  }

  async #try(name: string): Promise<void> {
    try {
      await this.#sync(name);
    } catch (error) {
      if (this.#isClosed) return;
      this.#log.error("custom resource definition failed", error, { name });
      this.#queue.addAfter(name, retryMs);
    }
  }

  async #sync(name: string): Promise<void> {
    const definition = this.#find(name);
    if (!definition) {
      this.#lookAtGroup(name);
      return;
    }
    const { deletionTimestamp, finalizers = [] } = definition.metadata;
    if (deletionTimestamp && finalizers.includes(cleanupFinalizer)) {
      await this.#terminate(definition);
      return;
    }
    const others = this.#definitions().filter(({ metadata }) => metadata.name !== name);
    const time = now(this.#parts.environment);
    if (!nextStatus(definition, others, time)) return;
    await this.#write(name, (current) => {
      const status = nextStatus(current, others, time);
      return status ? { ...current, status } : current;
    });
    this.#lookAtGroup(name);
  }

  /** Enqueues the definitions of a group: names may have become free. */
  #lookAtGroup(name: string): void {
    const group = groupOf(name);
    for (const { metadata, spec } of this.#definitions())
      if (spec.group === group && metadata.name !== name) this.#queue.add(metadata.name ?? "");
  }

  async #terminate(definition: CustomResourceDefinition): Promise<void> {
    const { name = "" } = definition.metadata;
    const served = this.#served.get(name);
    const stored = served && storedOf(served);
    await terminate(this.#parts, definition, {
      kind: stored,
      isTaken: this.#isTaken(definition),
      write: (change) => this.#write(name, change),
      again: () => this.#look(name),
    });
  }

  /** Writes the status of a definition, unless it is gone. */
  async #write(
    name: string,
    change: (definition: CustomResourceDefinition) => CustomResourceDefinition,
  ): Promise<void> {
    if (!this.#find(name)) return;
    await this.#definitionWriter.update(CustomResourceDefinition, { name }, change, {
      subresource: "status",
    });
  }
}

const sourceOf = ({ metadata, spec, status }: CustomResourceDefinition): string =>
  JSON.stringify([metadata.uid, spec, status.acceptedNames]);

const storedOf = ({ kinds }: Served): AnyKind => storedKind(kinds[0] as AnyKind);

/** The group of a definition, whose name is PLURAL.GROUP. */
const groupOf = (name: string): string => name.slice(name.indexOf(".") + 1);
