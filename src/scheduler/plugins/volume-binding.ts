import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  type NodeMatch,
  nodeSelectorMatch,
} from "../../api/core/v1/scheduling/node-affinity-match.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import { quote } from "../../schema/values/quote.ts";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import { stateKey } from "../framework/cycle-state.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

/** The nodes that can access each volume of a pod; undefined for a missing volume. */
const reachable = stateKey<readonly (NodeMatch | undefined)[]>("VolumeBinding");

/**
 * Keeps pods pending until their volume claims are bound, and restricts them to nodes that can access
 * the volumes. Claims with WaitForFirstConsumer are not bound by this scheduler yet.
 */
export const volumeBinding: PluginFactory = (_, { informer }) => {
  const claims = informer(PersistentVolumeClaim);
  const volumes = informer(PersistentVolume);
  const classes = informer(StorageClass);
  const code = "UnschedulableAndUnresolvable";
  const unbound = status(code, "pod has unbound immediate PersistentVolumeClaims");
  const elsewhere = status(code, "node(s) didn't match PersistentVolume's node affinity");
  const missing = status(
    code,
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  );
  return {
    name: "VolumeBinding",
    preFilter(state, { pod }) {
      const found = claimsOf(pod, claims);
      if (typeof found === "string") return status(code, found);
      if (found.length === 0) return skip;
      const bound: (NodeMatch | undefined)[] = [];
      for (const claim of found) {
        if (isBound(claim)) {
          const volume = volumes.get({ name: claim.spec.volumeName ?? "" });
          bound.push(volume && reachFrom(volume));
        } else if (!isDelayed(claim, classes)) return unbound;
      }
      state.write(reachable, bound);
      return undefined;
    },
    filter(state, _pod, { node }) {
      for (const isReachable of state.read(reachable) ?? []) {
        if (!isReachable) return missing;
        if (node && !isReachable(node)) return elsewhere;
      }
      return undefined;
    },
    eventsToRegister: () => [
      { event: { resource: "storage.k8s.io/StorageClass", action: actions.add | actions.update } },
      {
        event: { resource: "PersistentVolumeClaim", action: actions.add | actions.update },
        hint(pod, { now }) {
          const { name, namespace } = (now as PersistentVolumeClaim).metadata;
          const isUsed =
            namespace === pod.metadata.namespace && claimNames(pod).includes(name ?? "");
          return isUsed ? "Queue" : "QueueSkip";
        },
      },
      { event: { resource: "PersistentVolume", action: actions.add | actions.update } },
      { event: { resource: podResource, action: actions.updatePodLabel } },
      { event: { resource: nodeResource, action: actions.add | actions.updateNodeLabel } },
    ],
  };
};

/** The claim of a volume: a named one, or the generated one of an ephemeral volume. */
function claimOf(pod: Pod, volume: NonNullable<Pod["spec"]["volumes"]>[number]) {
  if (volume.persistentVolumeClaim)
    return { name: volume.persistentVolumeClaim.claimName, isEphemeral: false };
  if (volume.ephemeral) return { name: `${pod.metadata.name}-${volume.name}`, isEphemeral: true };
  return undefined;
}

const claimNames = (pod: Pod): readonly string[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimOf(pod, volume)?.name ?? []);

/** Returns the claims of a pod's volumes, or why they cannot be used. */
function claimsOf(
  pod: Pod,
  claims: Informer<PersistentVolumeClaim>,
): readonly PersistentVolumeClaim[] | string {
  const found: PersistentVolumeClaim[] = [];
  const { namespace, name: podName } = pod.metadata;
  for (const volume of pod.spec.volumes ?? []) {
    const meant = claimOf(pod, volume);
    if (!meant) continue;
    const { name, isEphemeral } = meant;
    const claim = claims.get({ namespace, name });
    if (!claim)
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quote(name)}`
        : `persistentvolumeclaim ${quote(name)} not found`;
    if (claim.status?.phase === "Lost")
      return `persistentvolumeclaim ${quote(name)} bound to non-existent persistentvolume ${quote(claim.spec.volumeName ?? "")}`;
    if (claim.metadata.deletionTimestamp)
      return `persistentvolumeclaim ${quote(name)} is being deleted`;
    if (isEphemeral && !isControlledBy(claim, pod))
      return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    found.push(claim);
  }
  return found;
}

const isBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  Boolean(spec.volumeName) &&
  metadata.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined;

/** Whether a claim's storage class has the binding mode WaitForFirstConsumer. */
function isDelayed({ spec }: PersistentVolumeClaim, classes: Informer<StorageClass>): boolean {
  const storageClass = spec.storageClassName
    ? classes.get({ name: spec.storageClassName })
    : undefined;
  return !spec.volumeName && storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

function reachFrom({ spec }: PersistentVolume): NodeMatch {
  const required = spec?.nodeAffinity?.required;
  return required ? nodeSelectorMatch(required) : () => true;
}
