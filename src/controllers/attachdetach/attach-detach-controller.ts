import { Node } from "../../api/core/v1/node/node.ts";
import { isNodeReady } from "../../api/core/v1/node/node-state.ts";
import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimsOfPod } from "../../api/core/v1/pod/pod-claims.ts";
import { isTaintedOutOfService } from "../../api/core/v1/scheduling/well-known-taint.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../api/storage/v1/csi-driver.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import { formatKeyOf, keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  KindIndex,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { byClaim, podsByClaim } from "../pods-by-claim.ts";
import { byNode, podsByNode } from "../pods-by-node.ts";
import { type AttachDetachMetrics, attachDetachMetrics } from "./attach-detach-metrics.ts";
import { Attempts } from "./attempts.ts";
import type { AttachDetachMemory } from "./node-context.ts";
import { attachmentsByNode, isManaged, viewNode } from "./node-view.ts";
import { attachmentsByVolume, uniqueNamesOf, usersOf, volumesByUniqueName } from "./other-nodes.ts";
import { reconcileNode } from "./reconcile-node.ts";

export interface AttachDetachOptions {
  /** Whether volumes are detached by force from nodes that say nothing for too long. */
  readonly forcesOnTimeout: boolean;
}

/** Attaches the volumes of drivers to the nodes whose pods need them, and detaches them. */
export function attachDetachController(options: AttachDetachOptions): Controller {
  const memory: AttachDetachMemory = {
    unwantedSince: new Map(),
    told: new Set(),
    lastInUse: new Map(),
    attempts: new Attempts(),
    detachingSince: new Map(),
  };
  let metrics: AttachDetachMetrics | undefined;
  return controller({
    name: "persistentvolume-attach-detach-controller",
    eventSource: "attachdetach-controller",
    for: Node,
    predicates: [(event) => event.type !== "updated" || !isSame(event.object, event.old)],
    watches: [
      {
        kind: Pod,
        predicates: [({ object }) => hasVolumes(object)],
        map: ({ spec }) => (spec.nodeName ? [{ name: spec.nodeName }] : []),
      },
      {
        kind: PersistentVolumeClaim,
        map: async (claim, { cache }) =>
          nodesOf(await cache.byIndex(Pod, byClaim, formatKeyOf(claim))),
      },
      {
        kind: PersistentVolume,
        predicates: [({ object }) => object.spec.csi !== undefined],
        map: async (volume, { cache }) => [
          ...nodesOf(await usersOf([volume], cache)),
          ...(await attachedTo(volume, cache)),
        ],
      },
      {
        kind: VolumeAttachment,
        map: async ({ spec }, { cache }) => {
          const name = spec.source.persistentVolumeName ?? "";
          const volume = await cache.get(PersistentVolume, { name });
          const same = volume
            ? await cache.byIndex(PersistentVolume, volumesByUniqueName, ...uniqueNamesOf(volume))
            : [];
          return [{ name: spec.nodeName }, ...nodesOf(await usersOf(same, cache))];
        },
      },
      {
        kind: CSIDriver,
        predicates: [
          (event) =>
            event.type !== "updated" ||
            event.object.spec.attachRequired !== event.old.spec.attachRequired,
        ],
        map: async (_, { cache }) => (await cache.list(Node)).map(keyOf),
      },
    ],
    indexes,
    // One node after another: two nodes must not get the same volume.
    concurrency: 1,
    async reconcile({ name }, ctx) {
      metrics ??= attachDetachMetrics(ctx.metrics);
      try {
        const view = await viewNode(name, ctx.cache);
        const isEmpty = view.pods.length === 0 && view.attachments.length === 0;
        metrics.seen(name, isEmpty ? undefined : view);
        return await reconcileNode(view, { ...options, ...ctx, name, memory, metrics });
      } finally {
        // Returns when the cache shows what was written, which other nodes must know.
        await ctx.cache.get(VolumeAttachment, { name });
      }
    },
  });
}

const indexes: readonly KindIndex[] = [
  podsByClaim,
  { kind: Pod, name: byNode, valuesOf: podsByNode[byNode] as KindIndex["valuesOf"] },
  {
    kind: VolumeAttachment,
    name: attachmentsByNode,
    valuesOf: (attachment) => [(attachment as VolumeAttachment).spec.nodeName],
  },
  {
    kind: VolumeAttachment,
    name: attachmentsByVolume,
    valuesOf: (attachment) => [
      (attachment as VolumeAttachment).spec.source.persistentVolumeName ?? "",
    ],
  },
  {
    kind: PersistentVolume,
    name: volumesByUniqueName,
    valuesOf: (volume) => uniqueNamesOf(volume as PersistentVolume),
  },
];

const hasVolumes = (pod: Pod): boolean => claimsOfPod(pod).length > 0;

const nodesOf = (pods: readonly Pod[]): readonly ObjectKey[] =>
  pods.flatMap(({ spec }) => (spec.nodeName ? [{ name: spec.nodeName }] : []));

const attachedTo = async (volume: PersistentVolume, cache: Cache): Promise<readonly ObjectKey[]> =>
  (await cache.byIndex(VolumeAttachment, attachmentsByVolume, volume.metadata.name ?? "")).map(
    ({ spec }) => ({ name: spec.nodeName }),
  );

/** Whether a change of a node changes nothing for its volumes: most are heartbeats. */
const isSame = (node: Node, old: Node): boolean =>
  isNodeReady(node) === isNodeReady(old) &&
  isTaintedOutOfService(node) === isTaintedOutOfService(old) &&
  isManaged(node) === isManaged(old) &&
  sameJson(volumesOf(node.status), volumesOf(old.status));

const volumesOf = ({ volumesInUse, volumesAttached }: NodeStatus) => [
  volumesInUse,
  volumesAttached,
];
