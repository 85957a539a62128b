import { Service } from "../../api/core/v1/service/service.ts";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { DelayingQueue } from "../../base/queue/delaying-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import { addressOf, anyKind } from "../objects/reader.ts";
import type { CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";
import { checkIpAddress, checkService, type World } from "./cluster-ip-checks.ts";
import type { ClusterIps } from "./cluster-ips.ts";
import type { MakeIpAddress } from "./ip-address-maker.ts";
import type { Finding, RepairEvents } from "./repair-events.ts";
import type { RepairParts } from "./repair-tasks.ts";
import type { ServiceRanges } from "./service-ranges.ts";

export interface ClusterIpRepairOptions {
  readonly parts: RepairParts;
  readonly ranges: ServiceRanges;
  readonly clusterIps: ClusterIps;
  readonly make: MakeIpAddress;
  readonly events: RepairEvents;
}

/**
 * Repairs services and IPAddresses that do not match. Every round checks all of them. Between rounds it
 * checks IPAddresses that other clients have written, and those whose services may still be created.
 */
export class ClusterIpRepair implements CacheWatcher {
  readonly #options: ClusterIpRepairOptions;
  readonly #world: World;
  /** The names of IPAddresses to check between the rounds. */
  readonly #queue: DelayingQueue<string>;
  /** The number of the next change to handle. */
  #next: number;
  #isClosed = false;

  constructor(options: ClusterIpRepairOptions) {
    this.#options = options;
    const { reader, environment } = options.parts;
    const observer = environment.queues?.("ipaddresses");
    this.#queue = new DelayingQueue(new WorkQueue(observer), environment.clock, observer);
    this.#world = {
      isInRange: (ip) => options.ranges.contains(ip),
      ipAddress: (name) => reader.getCached(IPAddress, { name }),
      service: (namespace, name) => reader.getCached(Service, { namespace, name }),
    };
    this.#next = this.#addresses.endOfEvents;
    this.#addresses.watchers.add(this);
    void this.#work();
  }

  /** Checks all services, and then all IPAddresses. */
  readonly round = async (): Promise<{ readonly isSettled: boolean }> => {
    const { reader } = this.#options.parts;
    let isSettled = true;
    for (const service of await reader.list(Service))
      if (await this.#repair(service)) isSettled = false;
    for (const object of reader.listCached(IPAddress))
      if (await this.#check(object)) isSettled = false;
    return { isSettled };
  };

  /** Whether no IPAddress waits to be checked. */
  get isIdle(): boolean {
    return this.#queue.idle && this.#queue.delayed === 0;
  }

  enqueueAll(): void {
    for (const { metadata } of this.#options.parts.reader.listCached(IPAddress))
      this.#queue.add(metadata.name ?? "");
  }

  changed(): void {
    const addresses = this.#addresses;
    for (; this.#next < addresses.endOfEvents; this.#next++) {
      const event = addresses.eventAt(this.#next);
      if (!event || event.type === "DELETED") continue;
      const name = event.object.key.slice(addresses.prefix.length);
      // IPAddresses that this server writes together with a service need no check.
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
    return this.#options.parts.reader.cache.of(anyKind(IPAddress));
  }

  async #work(): Promise<void> {
    const queue = this.#queue;
    for (;;) {
      const name = await queue.get();
      if (name === undefined) return;
      const object = this.#world.ipAddress(name);
      if (object) await this.#check(object).catch((error: unknown) => this.#failed(name, error));
      queue.done(name);
    }
  }

  /** The next round checks it again. */
  #failed(name: string, error: unknown): void {
    if (!this.#isClosed)
      this.#options.parts.environment.log.error("checking an IPAddress failed", error, { name });
  }

  /** Repairs the IPAddresses of a service; false if none needed repair. */
  async #repair(service: Service): Promise<boolean> {
    const faults = checkService(service, this.#world);
    const { namespace = "", name = "" } = service.metadata;
    for (const { finding, repair } of faults) {
      if (finding) await this.#report(service, finding);
      if (!repair) continue;
      const { parts, make } = this.#options;
      const address = addressOf(IPAddress, { name: repair.address });
      if (repair.how === "recreate") await parts.writer.delete(IPAddress, { name: repair.address });
      // Another server may be first.
      const object = make(repair.address, { namespace, name });
      await parts.committer.put(address, { object, ifRevision: 0 });
    }
    return faults.length > 0;
  }

  /** Checks an IPAddress, and deletes it or checks it again later; false if it is correct. */
  async #check(object: IPAddress): Promise<boolean> {
    const fault = checkIpAddress(object, this.#world, this.#options.parts.environment.clock.now());
    if (!fault || this.#isClosed) return false;
    const { name = "" } = object.metadata;
    if (fault.type === "check again") this.#queue.addAfter(name, fault.afterMs);
    else {
      await this.#report(object, fault.finding);
      const { uid } = object.metadata;
      await this.#options.parts.writer.delete(IPAddress, { name }, { uid });
    }
    return true;
  }

  async #report(object: Service | IPAddress, finding: Finding): Promise<void> {
    const { namespace, name } = object.metadata;
    this.#options.parts.environment.log.warn("cluster IP needs repair", {
      namespace,
      name,
      ...finding,
    });
    await this.#options.events.report(object, finding);
  }
}
