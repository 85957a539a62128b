import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isSidecar } from "../pod/container/restart-policy.ts";
import type { ContainerAllocateResponse } from "./device-messages.ts";

/** The devices of one resource that a container has. */
export interface AllocatedDevices {
  /** IDs by NUMA node; -1 for devices that are close to none in particular. */
  readonly byNode: Readonly<Record<string, readonly string[]>>;
  readonly response: ContainerAllocateResponse;
}

/** An allocation, with whose it is. */
export interface DeviceAllocation extends AllocatedDevices {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
}

/** The devices that the containers of a node have. */
export class PodDevices {
  /** By pod, container and resource. */
  readonly #pods = new Map<string, Map<string, Map<string, AllocatedDevices>>>();

  podUids(): readonly string[] {
    return [...this.#pods.keys()];
  }

  has(podUid: string): boolean {
    return this.#pods.has(podUid);
  }

  set({ podUid, container, resource, byNode, response }: DeviceAllocation): void {
    const containers = this.#pods.get(podUid) ?? new Map<string, Map<string, AllocatedDevices>>();
    const resources = containers.get(container) ?? new Map<string, AllocatedDevices>();
    resources.set(resource, { byNode, response });
    this.#pods.set(podUid, containers.set(container, resources));
  }

  delete(podUid: string): boolean {
    return this.#pods.delete(podUid);
  }

  /** What a container has of each resource. */
  of(podUid: string, container: string): ReadonlyMap<string, AllocatedDevices> | undefined {
    return this.#pods.get(podUid)?.get(container);
  }

  /** The devices of a resource that a container has; undefined if it was not allocated. */
  idsOf(podUid: string, container: string, resource: string): ReadonlySet<string> | undefined {
    const found = this.of(podUid, container)?.get(resource);
    return found && idsOf(found);
  }

  /** The devices of a resource that a pod has. */
  podIdsOf(podUid: string, resource: string): ReadonlySet<string> {
    const containers = [...(this.#pods.get(podUid)?.keys() ?? [])];
    return new Set(containers.flatMap((name) => [...(this.idsOf(podUid, name, resource) ?? [])]));
  }

  all(): readonly DeviceAllocation[] {
    return [...this.#pods].flatMap(([podUid, containers]) =>
      [...containers].flatMap(([container, resources]) =>
        Array.from(resources, ([resource, devices]) => ({
          ...{ podUid, container, resource },
          ...devices,
        })),
      ),
    );
  }

  /** The devices that containers have, by resource. */
  inUse(): ReadonlyMap<string, ReadonlySet<string>> {
    const used = new Map<string, Set<string>>();
    for (const one of this.all()) {
      const ids = used.get(one.resource) ?? new Set<string>();
      for (const id of idsOf(one)) ids.add(id);
      used.set(one.resource, ids);
    }
    return used;
  }

  /**
   * The devices of a resource that a container can take over: those of init containers that end before it. What a
   * sidecar or another container has is not free.
   */
  reusable({ metadata: { uid = "" }, spec }: Pod, next: string, resource: string): Set<string> {
    const free = new Set<string>();
    const visit = (container: Container, ends: boolean): void => {
      for (const id of this.idsOf(uid, container.name, resource) ?? [])
        if (ends) free.add(id);
        else free.delete(id);
    };
    for (const container of spec.initContainers ?? []) {
      if (container.name === next) return free;
      visit(container, !isSidecar(container));
    }
    for (const container of spec.containers ?? []) {
      if (container.name === next) return free;
      visit(container, false);
    }
    return free;
  }
}

/** The devices of an allocation. One that is close to several nodes is counted once. */
export const idsOf = ({ byNode }: AllocatedDevices): ReadonlySet<string> =>
  new Set(Object.values(byNode).flat());
