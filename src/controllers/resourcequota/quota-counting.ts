import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type Amounts, amountsOf, only, sameAmounts } from "../../api/core/v1/quota/amounts.ts";
import { type CountedObjects, calculateUsage } from "../../api/core/v1/quota/calculate-usage.ts";
import { isInScopes } from "../../api/core/v1/quota/evaluator.ts";
import { quotaEvaluators } from "../../api/core/v1/quota/evaluators.ts";
import { isExtendedRequest } from "../../api/core/v1/quota/pods.ts";
import { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { DeviceClass } from "../../api/resource/v1/device-class.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { withDeadline } from "../../base/clock.ts";
import type { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import { eachItem } from "../../client/pages.ts";
import { formatKey, type KubernetesObject, keyOf, parseKey } from "../../client/resource-kind.ts";
import { isAtLeast } from "../../client/resource-version.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { type CountedResource, CountedResources } from "./counted-resources.ts";
import { hasMissed, isUrgent, nextStatus } from "./quota-status.ts";
import { ServedResources } from "./served-resources.ts";
import { UsageRaises } from "./usage-raises.ts";

/** The key in the queue that stands for reading discovery. */
const discoveryKey = "";
/** A prefix of the key of a quota: it is counted to find usage that the last count missed. */
const missedMark = "missed:";
/** How long to wait for an event that is known to arrive. */
const patienceMs = 1_000;
/** How long the first sync of a resource may take. */
const syncMs = 10_000;
/** When to count again after limits came into force: objects admitted before are in the cache by then. */
const settlingMs = 2_000;
/** How long after its grace period a terminating pod still counts: after that it is gone or stuck. */
const overdueMs = 60_000;
/** How long a call may take. */
const callMs = 30_000;
/** When to retry after a conflict. */
const conflictMs = 50;

export interface QuotaCountingOptions {
  readonly ctx: RunnableContext;
  readonly queue: RateLimitingQueue<string>;
  readonly signal: AbortSignal;
}

/** Counts the usage of quotas, and enqueues quotas whose usage may have become lower. */
export class QuotaCounting {
  readonly #options: QuotaCountingOptions;
  readonly #quotas: Informer<ResourceQuota>;
  readonly #resources: CountedResources;
  readonly #served: ServedResources;
  readonly #raises: UsageRaises;
  #hasLearned = false;
  #deviceClasses: Informer<DeviceClass> | undefined;
  /** The versions in which quotas were created or their spec changed: counts need all objects up to then. */
  readonly #since = new Map<string, string>();
  /** Versions of quotas that are known to be outdated. */
  readonly #outdated = new Map<string, string>();
  /** The last written version of each quota, which the cache must show before the next count. */
  readonly #written = new Map<string, string>();

  constructor(options: QuotaCountingOptions) {
    const { ctx, queue } = options;
    const { informers, client, clock } = ctx;
    this.#options = options;
    this.#quotas = informers.of(ResourceQuota);
    const evaluatorOf = quotaEvaluators({
      now: () => clock.now(),
      deviceClasses: () => this.#deviceClasses?.list() ?? [],
      pod: (namespace, name) => this.#known<Pod>("pods")?.get({ namespace, name }),
      claims: (namespace) =>
        this.#known<ResourceClaim>("resourceclaims.resource.k8s.io")?.list({ namespace }) ?? [],
    });
    const onLess = this.#onLess.bind(this);
    this.#resources = new CountedResources({ informers, evaluatorOf, onLess });
    const again = (ms: number): void => queue.addAfter(discoveryKey, ms, 1);
    this.#served = new ServedResources({ discovery: createDiscovery(client), informers, again });
    this.#raises = new UsageRaises((names) =>
      this.#resources.tracking(names).map(({ name }) => name),
    );
  }

  /** Resolves when the quotas have synced. Without quotas, no other resource is watched. */
  async start(): Promise<void> {
    const { queue, signal } = this.#options;
    this.#quotas.addHandler({
      added: (quota) => {
        if (!this.#served.hasStarted) this.#begin();
        this.#countFrom(quota);
        this.#add(quota);
      },
      updated: (quota, old) => {
        this.#raises.changed(quota, old);
        if (sameJson(quota.spec, old.spec)) return;
        this.#countFrom(quota);
        this.#add(quota);
      },
      deleted: (quota) => {
        const key = formatKey(keyOf(quota));
        this.#since.delete(key);
        this.#written.delete(key);
        this.#outdated.delete(key);
        this.#raises.forget(key);
        queue.forget(key);
      },
    });
    await this.#quotas.synced({ signal });
  }

  countAll(): void {
    for (const quota of this.#quotas.list()) this.#options.queue.add(formatKey(keyOf(quota)));
  }

  close(): void {
    this.#quotas.close();
    this.#deviceClasses?.close();
    this.#resources.close();
    this.#served.close();
  }

  /** Processes a key of the queue. */
  async count(key: string): Promise<void> {
    if (key === discoveryKey) return this.#learn();
    if (key.startsWith(missedMark)) return this.#count(key.slice(missedMark.length), hasMissed);
    return this.#count(key, () => true);
  }

  /** Counts what is used of a quota, and writes its status if needed. */
  async #count(key: string, isNeeded: (quota: ResourceQuota, used: Amounts) => boolean) {
    // All quotas are counted once discovery has been read.
    if (!this.#hasLearned) return;
    const quota = await this.#current(key);
    if (!quota) return;
    const names = Object.keys(quota.spec.hard ?? {});
    const counted: CountedObjects[] = [];
    const failed: { resource: CountedResource; error: unknown }[] = [];
    for (const resource of this.#resources.tracking(names)) {
      try {
        const objects = await this.#objectsOf(resource, quota);
        counted.push({ evaluator: resource.evaluator, objects });
      } catch (error) {
        this.#options.signal.throwIfAborted();
        failed.push({ resource, error });
      }
    }
    const isKnown = (name: string): boolean =>
      !failed.some(({ resource }) => resource.evaluator.tracks(name));
    const used = only(calculateUsage(quota.spec, counted), isKnown);
    if (isNeeded(quota, used)) await this.#writeStatus(quota, used);
    this.#countAtNextEnd(key, counted);
    const [fault] = failed;
    if (fault)
      throw new Error(`${fault.resource.name} could not be counted`, { cause: fault.error });
  }

  #begin(): void {
    const { ctx, queue } = this.#options;
    this.#served.start();
    queue.add(discoveryKey, 2);
    this.#deviceClasses = ctx.informers.of(DeviceClass);
    const changed = (): void => {
      for (const quota of this.#quotas.list())
        if (Object.keys(quota.spec.hard ?? {}).some(isExtendedRequest))
          queue.add(formatKey(keyOf(quota)));
    };
    this.#deviceClasses.addHandler({ added: changed, updated: changed, deleted: changed });
  }

  /** Reads discovery, and enqueues the quotas of new resources. */
  async #learn(): Promise<void> {
    const apis = await this.#served.look(this.#options.signal);
    const changed = new Set(this.#resources.update(apis));
    const isFirst = !this.#hasLearned;
    this.#hasLearned = true;
    for (const quota of this.#quotas.list()) {
      const tracking = this.#resources.tracking(Object.keys(quota.spec.hard ?? {}));
      if (isFirst || tracking.some(({ name }) => changed.has(name))) this.#add(quota);
    }
  }

  #add(quota: ResourceQuota): void {
    const isCounted = (name: string) => this.#resources.tracking([name]).length > 0;
    this.#options.queue.add(formatKey(keyOf(quota)), isUrgent(quota, isCounted) ? 1 : 0);
  }

  #countFrom(quota: ResourceQuota): void {
    this.#since.set(formatKey(keyOf(quota)), quota.metadata.resourceVersion ?? "");
  }

  /** Enqueues the quotas whose usage a change of an object can lower. */
  #onLess({ evaluator }: CountedResource, object: KubernetesObject, old?: KubernetesObject): void {
    const { namespace } = object.metadata;
    for (const quota of this.#quotas.list({ namespace })) {
      if (!Object.keys(quota.status.hard ?? {}).some((name) => evaluator.tracks(name))) continue;
      const isIn = (one: object): boolean => isInScopes(evaluator, one, quota.spec);
      const isSame = old && sameAmounts(evaluator.usage(object), evaluator.usage(old));
      const key = formatKey(keyOf(quota));
      if (!isSame || isIn(object) !== isIn(old)) this.#options.queue.add(key);
      else if (evaluator.endsAt?.(object) !== evaluator.endsAt?.(old))
        this.#countAtNextEnd(key, [{ evaluator, objects: [object] }]);
    }
  }

  /** The latest version of a quota, after the cache and all its handlers show the last write. */
  async #current(key: string): Promise<ResourceQuota | undefined> {
    const { signal } = this.#options;
    const written = this.#written.get(key);
    if (written !== undefined)
      await this.#within(patienceMs, (ending) => this.#quotas.reached(written, { signal: ending }));
    const quota = this.#quotas.get(parseKey(key));
    if (!quota) return undefined;
    const { resourceVersion = "" } = quota.metadata;
    if (this.#outdated.get(key) === resourceVersion) return this.#fromServer(key);
    await this.#quotas.reached(resourceVersion, { signal });
    return quota;
  }

  /** A quota from the server, if the cache is outdated: its latest charges are unknown, too. */
  async #fromServer(key: string): Promise<ResourceQuota | undefined> {
    const { ctx, signal } = this.#options;
    const { namespace, name } = parseKey(key);
    const { items } = await withDeadline({ clock: ctx.clock, ms: callMs, signal }, (ending) =>
      ctx.client.list(ResourceQuota, {
        namespace,
        fieldSelector: { "metadata.name": name },
        signal: ending,
      }),
    );
    const [quota] = items;
    if (quota) this.#countFrom(quota);
    return quota;
  }

  /** The objects of a resource, including all that the quota has been charged for. */
  async #objectsOf(
    resource: CountedResource,
    { metadata }: ResourceQuota,
  ): Promise<readonly KubernetesObject[]> {
    if (!resource.isServed) return [];
    const { ctx, signal } = this.#options;
    const { namespace = "" } = metadata;
    const key = formatKey({ namespace, name: metadata.name ?? "" });
    const informer = this.#resources.follow(resource);
    if (
      !informer.hasSynced &&
      !(await this.#within(syncMs, (ending) => informer.synced({ signal: ending })))
    )
      throw new Error(`${resource.name} not yet synced`);
    const raised = this.#raises.versionFor(key, resource.name);
    if (raised !== undefined && !isAtLeast(informer.resourceVersion, raised))
      await this.#within(patienceMs, (ending) => informer.reached(raised, { signal: ending }));
    const needed = [raised, this.#since.get(key)].filter((version) => version !== undefined);
    if (needed.every((version) => isAtLeast(informer.resourceVersion, version)))
      return informer.list({ namespace });
    // Either nothing changed or the cache lags behind: the server knows.
    return withDeadline({ clock: ctx.clock, ms: callMs, signal }, async (ending) => {
      const all: KubernetesObject[] = [];
      for await (const one of eachItem(ctx.client, resource.kind, { namespace, signal: ending }))
        all.push(one);
      return all;
    });
  }

  async #writeStatus(quota: ResourceQuota, used: Amounts): Promise<void> {
    const { ctx, queue, signal } = this.#options;
    const key = formatKey(keyOf(quota));
    const status = nextStatus(quota, used);
    if (!status) return;
    this.#raises.counted(key, amountsOf(status.used));
    try {
      const { metadata } = await withDeadline({ clock: ctx.clock, ms: callMs, signal }, (ending) =>
        ctx.client.update(
          ResourceQuota,
          { ...quota, status },
          { subresource: "status", signal: ending },
        ),
      );
      this.#written.set(key, metadata.resourceVersion ?? "");
      if (!sameJson(status.hard, quota.status.hard))
        queue.addAfter(`${missedMark}${key}`, settlingMs);
    } catch (error) {
      if (StatusError.is(error, "Conflict")) {
        this.#outdated.set(key, quota.metadata.resourceVersion ?? "");
        queue.addAfter(key, conflictMs);
      } else if (!StatusError.is(error, "NotFound")) throw error;
    }
  }

  /** Enqueues a quota for when a terminating pod stops counting: there is no event for that. */
  #countAtNextEnd(key: string, counted: readonly CountedObjects[]): void {
    const { ctx, queue } = this.#options;
    const now = ctx.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { evaluator, objects } of counted) {
      if (!evaluator.endsAt) continue;
      for (const object of objects) {
        const end = evaluator.endsAt(object) ?? 0;
        if (end + overdueMs > now && end < next) next = end;
      }
    }
    if (next !== Number.POSITIVE_INFINITY) queue.addAfter(key, next - now + overdueMs);
  }

  /** Whether work ended in time. */
  async #within(ms: number, work: (ending: AbortSignal) => Promise<void>): Promise<boolean> {
    const { ctx, signal } = this.#options;
    try {
      await withDeadline({ clock: ctx.clock, ms, signal }, work);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  #known<O>(name: string): Informer<O> | undefined {
    return this.#resources.known(name) as Informer<O> | undefined;
  }
}
