import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { usesClaim } from "../../../api/core/v1/pod/pod-claims.ts";
import { selectedNode } from "../../../api/core/v1/volume/binding-annotations.ts";
import { classOfVolume, withClaim } from "../../../api/core/v1/volume/match-volume.ts";
import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../../api/storage/v1/csi-driver.ts";
import { CSIStorageCapacity } from "../../../api/storage/v1/csi-storage-capacity.ts";
import { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { ConditionWaiters } from "../../../client/informer/condition-waiters.ts";
import type { Indexers } from "../../../client/informer/informer-options.ts";
import { keyOf } from "../../../client/resource-kind.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { compareQuantities, parseQuantity } from "../../../schema/values/quantity.ts";
import type { VolumeBindingArgs } from "../../configuration/plugin-args.ts";
import { actions, nodeResource, type RegisteredEvent } from "../../framework/cluster-event.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { Handle } from "../../framework/handle.ts";
import type { BindTarget, Plugin, PluginFactory } from "../../framework/plugin.ts";
import { type Status, skip, status } from "../../framework/status.ts";
import { AssumedObjects } from "./assumed-objects.ts";
import { areAllBound } from "./binding-progress.ts";
import { type SortedClaims, sortClaims, usableClaims } from "./claims-of-pod.ts";
import {
  type Conflict,
  conflicts,
  findPodVolumes,
  type PodVolumes,
  type VolumeLookups,
} from "./find-pod-volumes.ts";
import { hasStorageRoom, volumeLimit } from "./storage-room.ts";

interface BindingState {
  readonly claims: SortedClaims;
  /** What is to be bound on each node that fits; claims that are bound need nothing. */
  readonly byNode: Map<string, PodVolumes>;
  /** What was assumed for the chosen node. */
  assumed?: PodVolumes;
}

const bindingState = stateKey<BindingState>("VolumeBinding");
const code = "UnschedulableAndUnresolvable";
const byClass = "class";

/** Profiles share their informers, and need the same index. */
const volumesByClass: Indexers<PersistentVolume> = {
  [byClass]: (volume) => [classOfVolume(volume)],
};

/**
 * Keeps pods pending until their claims can be used, restricts them to nodes that reach their volumes, and
 * chooses volumes for claims whose class waits for a pod. Those that no volume fits are left to their
 * provisioner, with the name of the node.
 */
export const volumeBinding: PluginFactory = (args, handle) => {
  const claims = handle.informer(PersistentVolumeClaim);
  const volumes = handle.informer(PersistentVolume, { indexers: volumesByClass });
  const assumedClaims = new AssumedObjects(claims);
  const assumedVolumes = new AssumedObjects(volumes);
  const classes = handle.informer(StorageClass);
  const drivers = handle.informer(CSIDriver);
  const capacities = handle.informer(CSIStorageCapacity);
  const bind = volumeBinder(handle, (args as VolumeBindingArgs).bindTimeoutSeconds ?? 600);
  const lookups: VolumeLookups = {
    volume: (name) => assumedVolumes.get({ name }),
    volumesOfClass: (name) =>
      volumes.byIndex(byClass, name).map((volume) => assumedVolumes.current(volume)),
    storageClass: (name) => (name === "" ? undefined : classes.get({ name })),
    hasRoom: (claim, storageClass, node) =>
      hasStorageRoom({
        ...{ claim, storageClass, node },
        driver: drivers.get({ name: storageClass.provisioner }),
        capacities: capacities.list(),
      }),
  };
  const forget = ({ bindings, provisions }: PodVolumes): void => {
    for (const { volume } of bindings) assumedVolumes.forget(volume);
    for (const claim of provisions) assumedClaims.forget(claim);
  };

  return {
    name: "VolumeBinding",
    preFilter(state, { pod }) {
      const found = usableClaims(pod, (key) => assumedClaims.get(key));
      if (typeof found === "string") return status(code, found);
      if (found.length === 0) return skip;
      const sorted = sortClaims(found, lookups.storageClass);
      if (sorted.hasImmediate) return unboundClaims;
      state.write(bindingState, { claims: sorted, byNode: new Map() });
      return undefined;
    },
    filter(state, _pod, { node }) {
      const known = state.read(bindingState);
      if (!known || !node) return undefined;
      const found = findPodVolumes(known.claims, node, lookups);
      if (!("bindings" in found)) return conflictStatus(found);
      if (known.claims.delayed.length > 0) known.byNode.set(node.metadata.name ?? "", found);
      return undefined;
    },
    reserve(state, _pod, node) {
      const known = state.read(bindingState);
      const found = known?.byNode.get(node);
      if (!known || !found) return undefined;
      const bindings = found.bindings.map(({ claim, volume }) => ({
        claim,
        volume: withClaim(volume, claim),
      }));
      const provisions = found.provisions.map((claim) => onNode(claim, node));
      known.assumed = { bindings, provisions };
      const isAssumed =
        bindings.every(({ volume }) => assumedVolumes.assume(volume)) &&
        provisions.every((claim) => assumedClaims.assume(claim));
      if (isAssumed) return undefined;
      forget(known.assumed);
      throw new Error("volumes or claims of the pod have changed");
    },
    unreserve(state) {
      const assumed = state.read(bindingState)?.assumed;
      if (assumed) forget(assumed);
    },
    preBindPreFlight: (state) =>
      state.read(bindingState)?.assumed ? { mayRunInParallel: true } : skip,
    async preBind(state, { pod }, target) {
      const assumed = state.read(bindingState)?.assumed;
      if (assumed) await bind(assumed, pod, target);
      return undefined;
    },
    eventsToRegister,
  } satisfies Plugin;
};

const unboundClaims = status(code, "pod has unbound immediate PersistentVolumeClaims");

/** Statuses by their conflicts: filters run for many nodes. */
const statuses = new Map<string, Status>();

function conflictStatus(found: readonly Conflict[]): Status {
  const text = found.join();
  let known = statuses.get(text);
  if (!known) {
    known = status(code, ...found.map((one) => conflicts[one]));
    statuses.set(text, known);
  }
  return known;
}

function onNode(claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim {
  const { metadata } = claim;
  const annotations = { ...metadata.annotations, [selectedNode]: node };
  return { ...claim, metadata: { ...metadata, annotations } };
}

/** Writes what was assumed, and waits until the volume controller and provisioners have bound all claims. */
function volumeBinder(
  { client, clock, informer }: Handle,
  timeoutSeconds: number,
): (assumed: PodVolumes, pod: Pod, target: BindTarget) => Promise<void> {
  const pods = informer(Pod);
  const claims = informer(PersistentVolumeClaim);
  const volumes = informer(PersistentVolume);
  const nodes = informer(Node);
  const waiters = new ConditionWaiters();
  const settle = (): void => waiters.settle();
  pods.addHandler({ deleted: settle });
  claims.addHandler({ updated: settle, deleted: settle });
  volumes.addHandler({ added: settle, updated: settle, deleted: settle });

  return async ({ bindings, provisions }, pod, target) => {
    const { signal } = target;
    const written: {
      bindings: PodVolumes["bindings"][number][];
      provisions: PersistentVolumeClaim[];
    } = { bindings: [], provisions: [] };
    for (const { claim, volume } of bindings) {
      const saved = await client.update(PersistentVolume, volume, { signal });
      written.bindings.push({ claim, volume: saved });
    }
    for (const claim of provisions)
      written.provisions.push(await client.update(PersistentVolumeClaim, claim, { signal }));
    const ending = new AbortController();
    const abort = (): void => ending.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = clock.setTimer(timeoutSeconds * 1000, () =>
      ending.abort(new Error("context deadline exceeded")),
    );
    let fault: unknown;
    try {
      await waiters.until(() => {
        try {
          const node = nodes.get({ name: target.node });
          if (!node)
            throw new Error(`failed to get node "${target.node}": node "${target.node}" not found`);
          const { name, uid } = pod.metadata;
          if (pods.get(keyOf(pod))?.metadata.uid !== uid)
            throw new Error(`pod does not exist any more: pod "${name}" not found`);
          return areAllBound(written, { node, claims, volumes });
        } catch (error) {
          fault = error;
          return true;
        }
      }, ending.signal);
    } catch (error) {
      fault = error;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", abort);
    }
    if (fault) {
      const text = fault instanceof Error ? fault.message : String(fault);
      throw new Error(`binding volumes: ${text}`, { cause: fault });
    }
  };
}

const eventsToRegister = (): readonly RegisteredEvent[] => [
  {
    event: { resource: "storage.k8s.io/StorageClass", action: actions.add | actions.update },
    hint(_, change) {
      const [now, old] = [change.now as StorageClass, change.old as StorageClass | undefined];
      return old && sameJson(now.allowedTopologies ?? [], old.allowedTopologies ?? [])
        ? "QueueSkip"
        : "Queue";
    },
  },
  {
    event: { resource: "PersistentVolumeClaim", action: actions.add | actions.update },
    hint: (pod, { now }) => (usesClaim(pod, now as PersistentVolumeClaim) ? "Queue" : "QueueSkip"),
  },
  { event: { resource: "PersistentVolume", action: actions.add | actions.update } },
  { event: { resource: nodeResource, action: actions.add | actions.updateNodeLabel } },
  {
    event: { resource: "storage.k8s.io/CSIDriver", action: actions.update },
    hint(pod, change) {
      const [now, old] = [change.now as CSIDriver, change.old as CSIDriver];
      const isUsed = pod.spec.volumes?.some(({ csi }) => csi?.driver === now.metadata.name);
      return isUsed && old.spec.storageCapacity && !now.spec.storageCapacity
        ? "Queue"
        : "QueueSkip";
    },
  },
  {
    event: { resource: "storage.k8s.io/CSIStorageCapacity", action: actions.add | actions.update },
    hint(_, change) {
      const limit = volumeLimit(change.now as CSIStorageCapacity);
      const old = change.old as CSIStorageCapacity | undefined;
      if (!old) return "Queue";
      const before = volumeLimit(old);
      const isMore =
        limit !== undefined &&
        (before === undefined ||
          compareQuantities(parseQuantity(limit), parseQuantity(before)) > 0);
      return isMore ? "Queue" : "QueueSkip";
    },
  },
];
