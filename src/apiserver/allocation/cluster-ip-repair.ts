import type { Service } from "../../api/core/v1/service/service.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import type { Log } from "../../base/log.ts";
import { DelayingQueue } from "../../base/queue/delaying-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { keyOf, putNew, type Registry } from "../objects/registry.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import type { CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";
import { checkIpAddress, checkService, type World } from "./cluster-ip-checks.ts";
import type { ClusterIps } from "./cluster-ips.ts";
import type { MakeIpAddress } from "./ip-address-maker.ts";
import type { Finding, RepairEvents } from "./repair-events.ts";
import type { ServiceRanges } from "./service-ranges.ts";

export interface ClusterIpRepairOptions {
  readonly registry: Registry;
  readonly services: AnyKind;
  readonly ipAddresses: AnyKind;
  readonly ranges: ServiceRanges;
  readonly clusterIps: ClusterIps;
  readonly make: MakeIpAddress;
  readonly events: RepairEvents;
  readonly log: Log;
}

/**
 * Keeps services and IPAddresses in line: every round looks at all of them. Between rounds it looks at
 * IPAddresses that others have written, and at those for whose services it is to wait.
 */
export class ClusterIpRepair implements CacheWatcher {
  readonly #options: ClusterIpRepairOptions;
  readonly #world: World;
  /** Names of IPAddresses to look at between the rounds. */
  readonly #queue: DelayingQueue<string>;
  /** The number of the next change to look at. */
  #next: number;
  #isClosed = false;

  constructor(options: ClusterIpRepairOptions) {
    this.#options = options;
    const { cache, clock, queues } = options.registry;
    const observer = queues?.("ipaddresses");
    this.#queue = new DelayingQueue(new WorkQueue(observer), clock, observer);
    const { services, ipAddresses: kind } = options;
    this.#world = {
      isInRange: (ip) => options.ranges.contains(ip),
      ipAddress: (name) =>
        cache.of(kind).get(keyOf({ kind, namespace: "", name }))?.object as IPAddress | undefined,
      service: (namespace, name) =>
        cache.of(services).get(keyOf({ kind: services, namespace, name }))?.object as
          | Service
          | undefined,
    };
    this.#next = this.#addresses.endOfEvents;
    this.#addresses.watchers.add(this);
    void this.#work();
  }

  /** Looks at all services, and then at all IPAddresses. */
  readonly round = async (): Promise<{ readonly isSettled: boolean }> => {
    const { registry, services } = this.#options;
    await registry.cache.fresh();
    let isSettled = true;
    for (const service of [...listOf<Service>(registry.cache.of(services))])
      if (await this.#repair(service)) isSettled = false;
    for (const object of [...listOf<IPAddress>(this.#addresses)])
      if (await this.#look(object)) isSettled = false;
    return { isSettled };
  };

  /** Whether there is nothing to look at between the rounds. */
  get isAtRest(): boolean {
    return this.#queue.idle && this.#queue.delayed === 0;
  }

  lookAtAll(): void {
    for (const { metadata } of listOf<IPAddress>(this.#addresses))
      this.#queue.add(metadata.name ?? "");
  }

  changed(): void {
    const addresses = this.#addresses;
    for (; this.#next < addresses.endOfEvents; this.#next++) {
      const event = addresses.eventAt(this.#next);
      if (!event || event.type === "DELETED") continue;
      const name = event.object.key.slice(addresses.prefix.length);
      // What this server writes together with a service is well.
      if (!this.#options.clusterIps.isBusy(name)) this.#queue.add(name);
    }
  }

  end(): void {
    this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#addresses.watchers.delete(this);
    this.#queue.shutDown();
  }

  get #addresses(): ResourceCache {
    return this.#options.registry.cache.of(this.#options.ipAddresses);
  }

  async #work(): Promise<void> {
    const queue = this.#queue;
    for (;;) {
      const name = await queue.get();
      if (name === undefined) return;
      const object = this.#world.ipAddress(name);
      if (object) await this.#look(object).catch((error: unknown) => this.#failed(name, error));
      queue.done(name);
    }
  }

  /** The next round looks at it again. */
  #failed(name: string, error: unknown): void {
    if (!this.#isClosed) this.#options.log.error("IPAddress could not be checked", error, { name });
  }

  /** Repairs what is wrong with the addresses of a service; false where nothing is. */
  async #repair(service: Service): Promise<boolean> {
    const faults = checkService(service, this.#world);
    const { namespace = "", name = "" } = service.metadata;
    for (const { finding, repair } of faults) {
      if (finding) await this.#tell(service as unknown as ApiObject, finding);
      if (!repair) continue;
      const { registry, ipAddresses: kind, make } = this.#options;
      const address = { kind, namespace: "", name: repair.address };
      if (repair.how === "recreate") await this.#remove(repair.address);
      // Another server may be first.
      await putNew(registry, [{ address, object: make(repair.address, { namespace, name }) }]);
    }
    return faults.length > 0;
  }

  /** Checks an IPAddress, and removes it or looks again; false where all is well. */
  async #look(object: IPAddress): Promise<boolean> {
    const fault = checkIpAddress(object, this.#world, this.#options.registry.clock.now());
    if (!fault || this.#isClosed) return false;
    const { name = "" } = object.metadata;
    if (fault.type === "look again") this.#queue.addAfter(name, fault.afterMs);
    else {
      await this.#tell(object as unknown as ApiObject, fault.finding);
      await this.#remove(name, object.metadata.uid);
    }
    return true;
  }

  async #remove(name: string, uid?: string): Promise<void> {
    const { registry, ipAddresses: kind } = this.#options;
    const options = uid === undefined ? {} : { preconditions: { uid } };
    const address = { kind, namespace: "", name };
    await tolerating(
      ["NotFound", "Conflict"],
      deleteObject(registry, address, { options, context: serverContext() }),
    );
  }

  async #tell(object: ApiObject, finding: Finding): Promise<void> {
    const { namespace, name } = object.metadata;
    this.#options.log.warn("cluster IP is not as it should be", { namespace, name, ...finding });
    await this.#options.events.tell(object, finding);
  }
}

const listOf = <T>(cache: ResourceCache): T[] =>
  Array.from(cache.list(cache.prefix), ({ object }) => object as unknown as T);
