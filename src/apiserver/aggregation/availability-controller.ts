import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import type { Timer } from "../../base/clock.ts";
import type { Counter, Family, Metrics } from "../../base/metrics.ts";
import { itemBackoff } from "../../base/queue/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import { now } from "../objects/environment.ts";
import type { KindOf } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { CacheEvent, CacheWatcher } from "../watch/watch-cache.ts";
import { type Availability, withAvailability } from "./available-condition.ts";
import { checkServer } from "./check-server.ts";
import { type RemoteApi, remoteApi } from "./remote-api.ts";
import type { RemoteServers } from "./remote-servers.ts";
import { serviceFault } from "./service-availability.ts";

export interface AvailabilityParts extends OwnParts {
  readonly servers: RemoteServers;
  readonly metrics: Metrics;
  /** The remote APIs, by the names of their APIServices. */
  readonly remote: ReadonlyMap<string, RemoteApi>;
}

/** Checks the servers of remote APIs, after changes and again and again, and writes their condition Available. */
export class AvailabilityController {
  readonly #parts: AvailabilityParts;
  /** Of names of APIServices. */
  readonly #queue: RateLimitingQueue<string>;
  readonly #unavailable: Family<Counter>;
  readonly #stop = new AbortController();
  readonly #unwatch: (() => void)[] = [];
  #timer: Timer | undefined;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
    const { clock, queues } = parts.environment;
    const observer = queues?.("RemoteAvailabilityController");
    this.#queue = new RateLimitingQueue(new WorkQueue(observer), {
      clock,
      limiter: itemBackoff({ base: 5, max: 30_000 }),
      ...(observer && { observer }),
    });
    this.#unavailable = parts.metrics.counter(unavailableTotal);
    this.#watch(Service, ({ metadata }) => metadata.name ?? "");
    this.#watch(EndpointSlice, ({ metadata }) => metadata.labels?.[serviceNameLabel] ?? "");
    for (let i = 0; i < workers; i++) void this.#work();
    this.#resync();
  }

  /** Checks an API soon: it is new, or its APIService has changed. */
  check(name: string): void {
    this.#queue.add(name);
  }

  close(): void {
    this.#timer?.cancel();
    this.#stop.abort();
    this.#queue.shutDown();
    for (const unwatch of this.#unwatch) unwatch();
  }

  /** Checks all servers now and then, even if nothing in the cluster has changed. */
  #resync(): void {
    this.#timer = this.#parts.environment.clock.setTimer(resyncMs, () => {
      for (const name of this.#parts.remote.keys()) this.check(name);
      this.#resync();
    });
  }

  /** Checks the APIs of a service whenever an object of the kind changes that names the service. */
  #watch(kind: KindOf<unknown>, serviceOf: (object: NamedObject) => string): void {
    const cache = this.#parts.reader.cacheOf(kind);
    if (!cache) return;
    let next = cache.endOfEvents;
    const seen = ({ object }: CacheEvent): void => {
      if (!object.isReadable) return;
      const changed = object.object as NamedObject;
      const [namespace = "", name] = [changed.metadata.namespace, serviceOf(changed)];
      for (const { name: api, service } of this.#parts.remote.values())
        if (service.name === name && service.namespace === namespace) this.check(api);
    };
    const watcher: CacheWatcher = {
      changed() {
        for (; next < cache.endOfEvents; next++) {
          const event = cache.eventAt(next);
          if (event) seen(event);
        }
      },
      end: () => this.close(),
    };
    cache.watchers.add(watcher);
    this.#unwatch.push(() => cache.watchers.delete(watcher));
  }

  async #work(): Promise<void> {
    const { log } = this.#parts.environment;
    for (;;) {
      const name = await this.#queue.get();
      if (name === undefined) return;
      try {
        const isDone = await this.#checkOne(name);
        if (isDone) this.#queue.forget(name);
        else this.#queue.addRateLimited(name);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.error("checking the server of an API failed", error, { api: name });
        this.#queue.addRateLimited(name);
      } finally {
        this.#queue.done(name);
      }
    }
  }

  /** False if the server does not respond, so that it is checked again soon. */
  async #checkOne(name: string): Promise<boolean> {
    const { reader, servers } = this.#parts;
    const service = reader.getCached(APIService, { name });
    const api = service && remoteApi(service);
    if (!api) return true;
    const fault = serviceFault(reader, api);
    if (fault) {
      await this.#write(service, fault);
      return true;
    }
    const message = await checkServer(api, servers, this.#stop.signal);
    if (this.#stop.signal.aborted) return true;
    await this.#write(service, message === undefined ? passed : failed(message));
    return message === undefined;
  }

  async #write(seen: APIService, availability: Availability): Promise<void> {
    const { writer, environment } = this.#parts;
    const time = now(environment);
    const { name = "", uid } = seen.metadata;
    if (!withAvailability(seen, availability, time)) return;
    await writer.update(
      APIService,
      { name },
      (existing) =>
        existing.metadata.uid === uid ? withAvailability(existing, availability, time) : undefined,
      { subresource: "status" },
    );
    const { status, reason } = availability;
    if (remoteApi(seen)?.isAvailable && status !== "True")
      this.#unavailable.of(name, reason ?? "UnknownReason").add(1);
  }
}

interface NamedObject {
  readonly metadata: {
    readonly namespace?: string;
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

const workers = 5;
const resyncMs = 30_000;

const passed: Availability = { status: "True", reason: "Passed", message: "all checks passed" };
const failed = (message: string): Availability => ({
  status: "False",
  reason: "FailedDiscoveryCheck",
  message,
});

const unavailableTotal = {
  name: "aggregator_unavailable_apiservice_total",
  help: "How often a registered API became unavailable, by its name and the reason.",
  stability: "ALPHA",
  labels: ["name", "reason"],
} as const;
