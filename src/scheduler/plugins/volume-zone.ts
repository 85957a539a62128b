import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { usesClaim } from "../../api/core/v1/pod/pod-claims.ts";
import { classOfClaim } from "../../api/core/v1/volume/match-volume.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { CacheReader } from "../../client/informer/informer-options.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { quote } from "../../schema/values/quote.ts";
import { actions, nodeResource } from "../framework/cluster-event.ts";
import { stateKey } from "../framework/cycle-state.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

/** A label of a volume: where it can be reached from. */
interface VolumePlace {
  readonly label: string;
  /** The label's current name, by which nodes may have it. */
  readonly currentLabel: string;
  /** The zones or regions, sorted. */
  readonly values: readonly string[];
}

const volumePlaces = stateKey<readonly VolumePlace[]>("VolumeZone");

/** The labels of zones and regions, with their current names. */
const placeLabels: readonly (readonly [label: string, currentLabel: string])[] = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
];

/** Restricts pods to the zones and regions that the labels of their volumes name. */
export const volumeZone: PluginFactory = (_, { informer }) => {
  const claims = informer(PersistentVolumeClaim);
  const volumes = informer(PersistentVolume);
  const classes = informer(StorageClass);
  const code = "UnschedulableAndUnresolvable";
  const elsewhere = status(code, "node(s) had no available volume zone");

  return {
    name: "VolumeZone",
    preFilter(state, { pod }) {
      if (!pod.spec.volumes?.length) return skip;
      const found = placesOfPod(pod, { claims, volumes, classes });
      if (typeof found === "string") return status(code, found);
      if (found.length === 0) return skip;
      state.write(volumePlaces, found);
      return undefined;
    },
    filter(state, _pod, { labels }) {
      // Nodes of a cluster without zones have no such labels.
      if (!placeLabels.some(([label]) => labels[label] !== undefined)) return undefined;
      for (const { label, currentLabel, values } of state.read(volumePlaces) ?? []) {
        const value = labels[label] ?? labels[currentLabel];
        if (value === undefined || !values.includes(value)) return elsewhere;
      }
      return undefined;
    },
    eventsToRegister: () => [
      {
        event: { resource: "storage.k8s.io/StorageClass", action: actions.add },
        hint: (_pod, { now }) =>
          (now as StorageClass).volumeBindingMode === delayed ? "Queue" : "QueueSkip",
      },
      { event: { resource: nodeResource, action: actions.add | actions.updateNodeLabel } },
      {
        event: { resource: "PersistentVolumeClaim", action: actions.add | actions.update },
        hint: (pod, { now }) =>
          usesClaim(pod, now as PersistentVolumeClaim) ? "Queue" : "QueueSkip",
      },
      {
        event: { resource: "PersistentVolume", action: actions.add | actions.update },
        hint: (_pod, { now, old }) =>
          !old || !sameJson(placesOf(now as PersistentVolume), placesOf(old as PersistentVolume))
            ? "Queue"
            : "QueueSkip",
      },
    ],
  };
};

const delayed = "WaitForFirstConsumer";

interface VolumeCaches {
  readonly claims: CacheReader<PersistentVolumeClaim>;
  readonly volumes: CacheReader<PersistentVolume>;
  readonly classes: CacheReader<StorageClass>;
}

/** Returns the places of all bound volumes of a pod, or why they are not known. */
function placesOfPod(
  { spec, metadata: { namespace } }: Pod,
  caches: VolumeCaches,
): readonly VolumePlace[] | string {
  const found: VolumePlace[] = [];
  for (const { persistentVolumeClaim } of spec.volumes ?? []) {
    if (!persistentVolumeClaim) continue;
    const { claimName: name } = persistentVolumeClaim;
    const claim = caches.claims.get({ namespace, name });
    if (!claim) return `persistentvolumeclaim ${quote(name)} not found`;
    const places = placesOfClaim(claim, caches);
    if (typeof places === "string") return places;
    found.push(...places);
  }
  return found;
}

/** A claim that waits for the pod has no place yet. */
function placesOfClaim(
  claim: PersistentVolumeClaim,
  { volumes, classes }: VolumeCaches,
): readonly VolumePlace[] | string {
  const { volumeName } = claim.spec;
  if (volumeName) {
    const volume = volumes.get({ name: volumeName });
    return volume ? placesOf(volume) : `persistentvolume ${quote(volumeName)} not found`;
  }
  const name = classOfClaim(claim);
  if (name === "") return "PersistentVolumeClaim had no pv name and storageClass name";
  const storageClass = classes.get({ name });
  if (!storageClass) return `storageclass.storage.k8s.io ${quote(name)} not found`;
  const { volumeBindingMode } = storageClass;
  if (volumeBindingMode === undefined)
    return `VolumeBindingMode not set for StorageClass ${quote(name)}`;
  return volumeBindingMode === delayed ? [] : "PersistentVolume had no name";
}

/** The places in the labels of a volume; a label with an empty one is ignored. */
function placesOf({ metadata: { labels = {} } }: PersistentVolume): readonly VolumePlace[] {
  return placeLabels.flatMap(([label, currentLabel]) => {
    const values = labels[label]?.split("__").map((value) => value.trim());
    if (!values || values.includes("")) return [];
    return { label, currentLabel, values: values.sort() };
  });
}
