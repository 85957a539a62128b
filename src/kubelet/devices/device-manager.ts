import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podLimits } from "../../api/core/v1/pod/pod-requests.ts";
import { errorMessage } from "../../base/error-message.ts";
import { parseQuantity, quantityValue } from "../../schema/values/quantity.ts";
import type { ContainerAdditions } from "../pod/pod-host.ts";
import type { ResourceProvider } from "../topology/resource-provider.ts";
import type { ResourceHints, TopologyHint } from "../topology/topology-hint.ts";
import { type AllocationSources, allocateDevices, availableDevices } from "./allocate-devices.ts";
import { containerDevices } from "./container-devices.ts";
import { type DeviceCheckpoint, decodeDeviceCheckpoint } from "./device-checkpoint.ts";
import { deviceHints } from "./device-hints.ts";
import type { DeviceMetrics } from "./device-metrics.ts";
import type { Device, DevicePlugin } from "./device-plugin.ts";
import type { DeviceRegistry } from "./device-registry.ts";
import { PodDevices } from "./pod-devices.ts";

export interface DeviceManagerOptions {
  readonly registry: DeviceRegistry;
  /** The NUMA nodes of the machine. */
  readonly numaNodes: readonly number[];
  readonly metrics: DeviceMetrics;
  /** Stores the checkpoint, so that a later kubelet continues with it. */
  readonly save: (checkpoint: DeviceCheckpoint) => Promise<void>;
  /** Whether a pod still runs: the devices of others are free. */
  readonly isActive: (podUid: string) => boolean;
  /** Whether a container has run since before this kubelet: then it has its devices. */
  readonly wasRunning: (podUid: string, container: string) => boolean;
  /** The NUMA nodes that were chosen for a container. */
  readonly affinityOf: (podUid: string, container: string) => TopologyHint;
  /** Called with pods that have devices whose health has changed. */
  readonly changed: (podUid: string) => void;
}

/** Gives devices of plugins to containers. */
export class DeviceManager implements ResourceProvider {
  readonly #options: DeviceManagerOptions;
  readonly #registry: DeviceRegistry;
  readonly #pods = new PodDevices();
  readonly #sources: AllocationSources;
  /** One allocation at a time: others would choose the same devices. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: DeviceManagerOptions) {
    this.#options = options;
    this.#registry = options.registry;
    this.#sources = { ...options, pods: this.#pods };
  }

  /** Continues with the checkpoint of an earlier kubelet. Throws if it is damaged. */
  restore(text: string): void {
    const { allocations, registered } = decodeDeviceCheckpoint(text);
    for (const allocation of allocations) this.#pods.set(allocation);
    for (const resource of Object.keys(registered)) this.#registry.restore(resource);
  }

  /** The devices that containers have. */
  get allocated(): PodDevices {
    return this.#pods;
  }

  /** A plugin lists its devices. */
  async list(resource: string, plugin: DevicePlugin, devices: readonly Device[]): Promise<void> {
    const changed = new Set(this.#registry.list(resource, plugin, devices));
    await this.#save();
    for (const podUid of this.#pods.podUids())
      if ([...this.#pods.podIdsOf(podUid, resource)].some((id) => changed.has(id)))
        this.#options.changed(podUid);
  }

  concerns(pod: Pod): boolean {
    return [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])].some(
      (container) => this.#requestsOf(container, pod).length > 0,
    );
  }

  hints(pod: Pod, container: Container): ResourceHints {
    const uid = pod.metadata.uid ?? "";
    return new Map(
      this.#requestsOf(container, pod).map(([resource, required]) => [
        resource,
        this.#hintsOf(resource, required, {
          allocated: this.#pods.idsOf(uid, container.name, resource) ?? new Set(),
          reusable: this.#pods.reusable(pod, container.name, resource),
        }),
      ]),
    );
  }

  podHints(pod: Pod): ResourceHints {
    const { overhead: _, ...own } = pod.spec;
    const requests = Object.entries(podLimits(own)).filter(([name]) => this.#isProvided(name));
    return new Map(
      requests.map(([resource, amount]) => [
        resource,
        this.#hintsOf(resource, quantityValue(parseQuantity(amount)), {
          allocated: this.#pods.podIdsOf(pod.metadata.uid ?? "", resource),
          reusable: new Set(),
        }),
      ]),
    );
  }

  async allocate(pod: Pod, container: Container, affinity: TopologyHint): Promise<void> {
    if (!this.#options.wasRunning(pod.metadata.uid ?? "", container.name))
      await this.#allocateInTurn(pod, container, affinity);
  }

  #allocateInTurn(pod: Pod, container: Container, affinity: TopologyHint): Promise<void> {
    const allocated = this.#turn.then(() => this.#allocate(pod, container, affinity));
    this.#turn = allocated.catch(() => {});
    return allocated;
  }

  /** What a container needs to use its devices, before it is created. Rejects if it cannot have them. */
  async additions(pod: Pod, container: Container): Promise<ContainerAdditions | undefined> {
    const uid = pod.metadata.uid ?? "";
    const { name } = container;
    let isMissing = false;
    for (const [resource, required] of this.#requestsOf(container, pod)) {
      if (required === 0) continue;
      await this.#preStart(uid, name, resource);
      // The plugin may have registered after the pod was admitted.
      if (this.#options.isActive(uid) && !this.#pods.idsOf(uid, name, resource)) isMissing = true;
    }
    if (isMissing) await this.#allocateInTurn(pod, container, this.#options.affinityOf(uid, name));
    const devices = this.#pods.of(uid, name);
    return devices && containerDevices(Array.from(devices.values(), ({ response }) => response));
  }

  /** How many devices of each resource containers have. */
  amountsInUse(): ReadonlyMap<string, number> {
    return new Map([...this.#pods.inUse()].map(([resource, ids]) => [resource, ids.size]));
  }

  /** Frees the devices of a pod that has ended. */
  async release(podUid: string): Promise<void> {
    if (this.#pods.delete(podUid)) await this.#save();
  }

  /** The resources of plugins that a container needs. Those that claims provide are not among them. */
  #requestsOf(
    { name, resources }: Container,
    { status }: Pick<Pod, "status">,
  ): readonly (readonly [string, number])[] {
    const claimed = status.extendedResourceClaimStatus?.requestMappings ?? [];
    const isClaimed = (resource: string): boolean =>
      claimed.some((one) => one.containerName === name && one.resourceName === resource);
    return Object.entries(resources?.limits ?? {})
      .filter(([resource]) => this.#isProvided(resource) && !isClaimed(resource))
      .map(([resource, amount]) => [resource, quantityValue(parseQuantity(amount))]);
  }

  /** Whether a plugin provides a resource, or has. */
  #isProvided(resource: string): boolean {
    return this.#registry.has(resource) || this.#pods.inUse().has(resource);
  }

  #hintsOf(
    resource: string,
    required: number,
    known: { readonly allocated: ReadonlySet<string>; readonly reusable: ReadonlySet<string> },
  ): readonly TopologyHint[] | undefined {
    this.#collect();
    const devices = this.#registry.devicesOf(resource);
    if (![...devices.values()].some(({ numaNodes }) => numaNodes.length > 0)) return undefined;
    const { numaNodes } = this.#options;
    const { allocated, reusable } = known;
    if (allocated.size > 0)
      return allocated.size === required
        ? deviceHints({ devices, available: allocated, reusable: new Set(), required, numaNodes })
        : [];
    const available = availableDevices(resource, this.#sources);
    if (new Set([...available, ...reusable]).size < required) return [];
    return deviceHints({ devices, available, reusable, required, numaNodes });
  }

  async #allocate(pod: Pod, container: Container, { affinity }: TopologyHint): Promise<void> {
    const requests = this.#requestsOf(container, pod);
    if (requests.length === 0) return;
    this.#collect();
    let hasChanged = false;
    for (const [resource, required] of requests) {
      const request = { pod, container: container.name, resource, required, affinity };
      if (await allocateDevices(request, this.#sources)) hasChanged = true;
    }
    if (hasChanged) await this.#save();
  }

  async #preStart(podUid: string, container: string, resource: string): Promise<void> {
    if (!this.#registry.has(resource))
      throw new Error(`endpoint not found in cache for a registered resource: ${resource}`);
    if (!this.#registry.pluginOf(resource)?.needsPreStart) return;
    const ids = this.#pods.idsOf(podUid, container, resource);
    if (!ids)
      throw new Error(
        `no devices found allocated in local cache for pod ${podUid}, container ${container}, resource ${resource}`,
      );
    try {
      await this.#registry.runningPluginOf(resource).preStart([...ids]);
    } catch (error) {
      const why = errorMessage(error);
      throw new Error(`device plugin PreStartContainer rpc failed with err: ${why}`);
    }
  }

  /** Frees what pods have that ended unnoticed. */
  #collect(): void {
    for (const uid of this.#pods.podUids())
      if (!this.#options.isActive(uid)) this.#pods.delete(uid);
  }

  async #save(): Promise<void> {
    const registered = Object.fromEntries(
      this.#registry.names().map((resource) => [resource, this.#registry.healthy(resource)]),
    );
    await this.#options.save({ allocations: this.#pods.all(), registered });
  }
}
