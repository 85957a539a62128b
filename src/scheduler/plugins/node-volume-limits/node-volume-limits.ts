import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { usesClaim } from "../../../api/core/v1/pod/pod-claims.ts";
import { migratedPluginOf } from "../../../api/core/v1/volume/migrated-plugins.ts";
import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSINode } from "../../../api/storage/v1/csi-node.ts";
import { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { VolumeAttachment } from "../../../api/storage/v1/volume-attachment.ts";
import type { Indexers } from "../../../client/informer/informer-options.ts";
import { actions, podResource, type RegisteredEvent } from "../../framework/cluster-event.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, skip, status } from "../../framework/status.ts";
import {
  type CsiVolume,
  canCount,
  csiVolumesOf,
  MissingClaimError,
  volumeId,
} from "./csi-volumes.ts";

/** The volumes of the pod, or why it fits no node; found when the first node is filtered. */
interface LimitState {
  found?: readonly CsiVolume[] | Status;
}

const limitState = stateKey<LimitState>("NodeVolumeLimits");

const byNode = "node";
/** Profiles share their informers, and need the same index. */
const attachmentsByNode: Indexers<VolumeAttachment> = {
  [byNode]: ({ spec }) => [spec.nodeName],
};

/** Bounds the volumes of each CSI driver on a node, as its CSINode says. */
export const nodeVolumeLimits: PluginFactory = (_, { informer }) => {
  const caches = {
    claims: informer(PersistentVolumeClaim),
    volumes: informer(PersistentVolume),
    classes: informer(StorageClass),
  };
  const csiNodes = informer(CSINode);
  const attachments = informer(VolumeAttachment, { indexers: attachmentsByNode });
  const full = status("Unschedulable", "node(s) exceed max volume count");

  const newVolumes = (pod: Pod): readonly CsiVolume[] | Status => {
    try {
      return csiVolumesOf(pod, caches, { isNew: true });
    } catch (error) {
      if (!(error instanceof MissingClaimError)) throw error;
      return status("UnschedulableAndUnresolvable", error.message);
    }
  };

  /** The volumes that pods on a node use: their drivers by their ids. */
  const usedBy = (pods: readonly PodInfo[]): ReadonlyMap<string, string> => {
    const volumes = pods.flatMap(({ pod }) => csiVolumesOf(pod, caches, { isNew: false }));
    checkProblems(volumes);
    return new Map(volumes.map(({ id, driver }) => [id, driver]));
  };

  /** The volumes that are attached to a node. */
  const attachedTo = (node: string): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    for (const { spec } of attachments.byIndex(byNode, node)) {
      const name = spec.source.persistentVolumeName;
      const csi = name && spec.attacher ? caches.volumes.get({ name })?.spec.csi : undefined;
      if (csi) found.set(volumeId(spec.attacher, csi.volumeHandle), spec.attacher);
    }
    return found;
  };

  return {
    name: "NodeVolumeLimits",
    preFilter(state, { pod }) {
      if (!pod.spec.volumes?.some(canCount)) return skip;
      // VolumeBinding has better words for missing claims: they are looked up after all of preFilter.
      state.write(limitState, {});
      return undefined;
    },
    filter(state, { pod }, node) {
      const known = state.read(limitState);
      if (!known) return undefined;
      known.found ??= newVolumes(pod);
      if ("code" in known.found) return known.found;
      const csiNode = csiNodes.get({ name: node.name });
      const own = known.found.filter(({ isMigrated }) => csiNode || !isMigrated);
      checkProblems(own);
      const limits = own.length === 0 ? noLimits : limitsOf(csiNode);
      if (limits.size === 0) return undefined;
      const used = usedBy(node.pods);
      // A volume that no pod uses takes its place until it is detached, even if the new pod has it.
      const counts = countsOf(new Map([...attachedTo(node.name), ...used]).values());
      for (const [id, driver] of new Map(own.map((one) => [one.id, one.driver]))) {
        if (used.has(id)) continue;
        const count = (counts.get(driver) ?? 0) + 1;
        if (count > (limits.get(driver) ?? count)) return full;
        counts.set(driver, count);
      }
      return undefined;
    },
    eventsToRegister,
  };
};

const noLimits: ReadonlyMap<string, number> = new Map();

function checkProblems(volumes: readonly CsiVolume[]): void {
  for (const { problem } of volumes) if (problem !== undefined) throw new Error(problem);
}

function countsOf(drivers: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const driver of drivers) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
}

/** The most volumes of each driver; drivers without a limit are not in it. */
const limitsOf = (csiNode: CSINode | undefined): ReadonlyMap<string, number> =>
  new Map(
    csiNode?.spec.drivers?.flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined ? [] : [[name, allocatable.count] as const],
    ),
  );

const eventsToRegister = (): readonly RegisteredEvent[] => [
  { event: { resource: "storage.k8s.io/CSINode", action: actions.add } },
  {
    event: { resource: "storage.k8s.io/CSINode", action: actions.update },
    hint(_pod, { now, old }) {
      const before = limitsOf(old as CSINode);
      const isMore = [...limitsOf(now as CSINode)].some(
        ([driver, limit]) => limit > (before.get(driver) ?? 0),
      );
      return isMore ? "Queue" : "QueueSkip";
    },
  },
  {
    event: { resource: podResource, action: actions.delete },
    hint(_pod, { old }) {
      const { spec, status: own } = old as Pod;
      if (!spec.nodeName && !own.nominatedNodeName) return "QueueSkip";
      return spec.volumes?.some(canCount) ? "Queue" : "QueueSkip";
    },
  },
  {
    event: { resource: "PersistentVolumeClaim", action: actions.add },
    hint: (pod, { now }) => (usesClaim(pod, now as PersistentVolumeClaim) ? "Queue" : "QueueSkip"),
  },
  {
    event: { resource: "storage.k8s.io/VolumeAttachment", action: actions.delete },
    hint(pod, { old }) {
      const { attacher } = (old as VolumeAttachment).spec;
      const mayHelp = pod.spec.volumes?.some(
        (volume) => volume.persistentVolumeClaim ?? migratedPluginOf(volume)?.driver === attacher,
      );
      return mayHelp ? "Queue" : "QueueSkip";
    },
  },
];
