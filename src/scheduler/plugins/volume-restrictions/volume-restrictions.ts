import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { usesClaim } from "../../../api/core/v1/pod/pod-claims.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";
import { quote } from "../../../schema/values/quote.ts";
import { actions, nodeResource, podResource } from "../../framework/cluster-event.ts";
import { type Cloneable, stateKey } from "../../framework/cycle-state.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { skip, status } from "../../framework/status.ts";
import { disksOf, usesDisk } from "./disk-conflict.ts";

/** What a pod cannot share with others. */
class Restrictions implements Cloneable {
  readonly disks: readonly Volume[];
  /** Its claims that only one pod may use. */
  readonly #claims: ReadonlySet<string>;
  /** How many uses of these claims there are by other pods, on any node. */
  uses: number;

  constructor(disks: readonly Volume[], claims: ReadonlySet<string>, uses: number) {
    this.disks = disks;
    this.#claims = claims;
    this.uses = uses;
  }

  count({ claims }: PodInfo, sign: 1 | -1): void {
    for (const claim of claims) if (this.#claims.has(claim)) this.uses += sign;
  }

  clone(): Restrictions {
    return new Restrictions(this.disks, this.#claims, this.uses);
  }
}

const restrictions = stateKey<Restrictions>("VolumeRestrictions");

/**
 * Keeps pods apart that cannot share a volume: on one node those with the same disk, and anywhere those
 * with a claim for one pod only.
 */
export const volumeRestrictions: PluginFactory = (_, { informer, snapshot }) => {
  const claims = informer(PersistentVolumeClaim);
  const diskTaken = status("Unschedulable", "node(s) had no available disk");
  const claimTaken = status(
    "Unschedulable",
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  );

  return {
    name: "VolumeRestrictions",
    preFilter(state, { pod, namespace }) {
      if (!pod.spec.volumes?.length) return skip;
      const exclusive = new Set<string>();
      for (const { persistentVolumeClaim } of pod.spec.volumes) {
        if (!persistentVolumeClaim) continue;
        const name = persistentVolumeClaim.claimName;
        const claim = claims.get({ namespace, name });
        if (!claim) {
          const missing = `persistentvolumeclaim ${quote(name)} not found`;
          return status("UnschedulableAndUnresolvable", missing);
        }
        if (claim.spec.accessModes?.includes("ReadWriteOncePod"))
          exclusive.add(`${namespace}/${name}`);
      }
      const uses = [...exclusive].filter((claim) => snapshot.isClaimUsed(claim)).length;
      const disks = disksOf(pod);
      if (uses === 0 && disks.length === 0) return skip;
      state.write(restrictions, new Restrictions(disks, exclusive, uses));
      return undefined;
    },
    addPod(state, _pod, { other }) {
      state.read(restrictions)?.count(other, 1);
      return undefined;
    },
    removePod(state, _pod, { other }) {
      state.read(restrictions)?.count(other, -1);
      return undefined;
    },
    filter(state, _pod, { pods }) {
      const known = state.read(restrictions);
      if (!known) return undefined;
      const { disks, uses } = known;
      if (disks.length > 0 && pods.some(({ pod }) => usesDisk(pod, disks))) return diskTaken;
      return uses > 0 ? claimTaken : undefined;
    },
    eventsToRegister: () => [
      {
        event: { resource: podResource, action: actions.delete },
        hint: (pod, { old }) => (sharesVolume(pod, old as Pod) ? "Queue" : "QueueSkip"),
      },
      { event: { resource: nodeResource, action: actions.add } },
      {
        event: { resource: "PersistentVolumeClaim", action: actions.add },
        hint: (pod, { now }) =>
          usesClaim(pod, now as PersistentVolumeClaim) ? "Queue" : "QueueSkip",
      },
    ],
  };
};

/** Whether a pod may have waited for a volume of one that is gone. */
function sharesVolume(pod: Pod, gone: Pod): boolean {
  if (gone.metadata.namespace !== pod.metadata.namespace) return false;
  if (usesDisk(gone, disksOf(pod))) return true;
  return claimNames(pod).some((name) => claimNames(gone).includes(name));
}

const claimNames = ({ spec }: Pod): readonly string[] =>
  spec.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []) ??
  [];
