import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  podClaimNames,
  podConfigMapNames,
  podSecretNames,
} from "../../api/core/v1/pod/pod-references.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { persistentVolumeSecrets } from "../../api/core/v1/volume/persistent-volume-secrets.ts";
import type { Resources } from "../objects/resources.ts";
import type { Stored } from "../objects/stored.ts";
import { followCache } from "../watch/follow-cache.ts";
import type { WatchCache } from "../watch/watch-cache.ts";

/** The objects that a node may read because of its pods. */
export type RelatedResource =
  | "secrets"
  | "configmaps"
  | "serviceaccounts"
  | "pods"
  | "persistentvolumeclaims"
  | "persistentvolumes"
  | "resourceclaims"
  | "volumeattachments"
  | "resourceslices"
  | "podcertificaterequests";

/** The objects that pods of each node refer to, from the watch cache. */
export interface NodeRelations {
  isRelated(node: string, resource: RelatedResource, place: ObjectPlace): boolean;
  close(): void;
}

export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The relations of a cluster's nodes; pods are indexed on first use. */
export function nodeRelations(cache: WatchCache, resources: Resources): NodeRelations {
  const objectAt = <T>(
    group: string,
    plural: string,
    { namespace, name }: ObjectPlace,
    version = "v1",
  ) => {
    const kind = resources.find(group, version, plural);
    const found = kind && cache.of(kind);
    const key = namespace === "" ? name : `${namespace}/${name}`;
    return found?.get(`${found.prefix}${key}`)?.object as T | undefined;
  };
  let pods: PodsByNode | undefined;
  const podsOn = (node: string): readonly Pod[] => {
    const kind = resources.find("", "v1", "pods");
    pods ??= podsByNode((index) => followCache(kind && cache.of(kind), index));
    return pods.of(node);
  };
  const somePodOn = (node: string, namespace: string, isIt: (pod: Pod) => boolean): boolean =>
    podsOn(node).some((pod) => pod.metadata.namespace === namespace && isIt(pod));
  const isClaimed = (node: string, { namespace, name }: ObjectPlace): boolean =>
    somePodOn(node, namespace, (pod) => claimsOf(pod).includes(name));
  const isOn = (node: string, object: { spec: { nodeName?: string | undefined } } | undefined) =>
    object?.spec.nodeName === node;

  const relations: Readonly<
    Record<RelatedResource, (node: string, place: ObjectPlace) => boolean>
  > = {
    pods: (node, { namespace, name }) =>
      somePodOn(node, namespace, ({ metadata }) => metadata.name === name),
    configmaps: (node, { namespace, name }) =>
      somePodOn(
        node,
        namespace,
        (pod) => !isMirror(pod) && podConfigMapNames(pod.spec).includes(name),
      ),
    serviceaccounts: (node, { namespace, name }) =>
      somePodOn(node, namespace, (pod) => !isMirror(pod) && pod.spec.serviceAccountName === name),
    resourceclaims: (node, { namespace, name }) =>
      somePodOn(node, namespace, (pod) => !isMirror(pod) && resourceClaimsOf(pod).includes(name)),
    persistentvolumeclaims: isClaimed,
    persistentvolumes(node, place) {
      const { claimRef } = objectAt<PersistentVolume>("", "persistentvolumes", place)?.spec ?? {};
      const { namespace = "", name = "" } = claimRef ?? {};
      return claimRef !== undefined && isClaimed(node, { namespace, name });
    },
    secrets(node, { namespace, name }) {
      const isReferred = somePodOn(
        node,
        namespace,
        (pod) => !isMirror(pod) && podSecretNames(pod.spec).includes(name),
      );
      return (
        isReferred ||
        volumesOn(node).some((volume) =>
          persistentVolumeSecrets(volume).some(
            (secret) => secret.namespace === namespace && secret.name === name,
          ),
        )
      );
    },
    volumeattachments: (node, place) =>
      isOn(node, objectAt("storage.k8s.io", "volumeattachments", place)),
    resourceslices: (node, place) =>
      isOn(node, objectAt("resource.k8s.io", "resourceslices", place)),
    podcertificaterequests: (node, place) =>
      isOn(node, objectAt("certificates.k8s.io", "podcertificaterequests", place, "v1beta1")),
  };

  /** The volumes that pods of a node use by their claims. */
  const volumesOn = (node: string): readonly PersistentVolume[] =>
    podsOn(node).flatMap((pod) => {
      const { namespace = "" } = pod.metadata;
      return claimsOf(pod).flatMap((name) => {
        const claim = objectAt<PersistentVolumeClaim>("", "persistentvolumeclaims", {
          namespace,
          name,
        });
        const volume = objectAt<PersistentVolume>("", "persistentvolumes", {
          namespace: "",
          name: claim?.spec.volumeName ?? "",
        });
        const { claimRef } = volume?.spec ?? {};
        return volume && claimRef?.namespace === namespace && claimRef.name === name
          ? [volume]
          : [];
      });
    });

  return {
    isRelated: (node, resource, place) => relations[resource](node, place),
    close: () => pods?.close(),
  };
}

/** A mirror pod gives its node no rights: the node wrote it itself. */
const isMirror = ({ metadata }: Pod): boolean =>
  metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;

const claimsOf = (pod: Pod): readonly string[] =>
  isMirror(pod) ? [] : podClaimNames(pod.metadata.name ?? "", pod.spec);

function resourceClaimsOf({ spec, status }: Pod): readonly string[] {
  const made = (name: string) =>
    status.resourceClaimStatuses?.find((one) => one.name === name)?.resourceClaimName;
  return [
    ...(spec.resourceClaims ?? []).map(({ name, resourceClaimName }) =>
      resourceClaimName !== undefined ? resourceClaimName : made(name),
    ),
    status.extendedResourceClaimStatus?.resourceClaimName,
  ].filter((name): name is string => !!name);
}

interface PodsByNode {
  of(node: string): readonly Pod[];
  close(): void;
}

function podsByNode(follow: (index: Parameters<typeof followCache>[1]) => () => void): PodsByNode {
  const nodes = new Map<string, Map<string, Stored>>();
  const nodeOf = ({ object }: Stored): string => (object as unknown as Pod).spec.nodeName ?? "";
  const close = follow({
    add(stored) {
      const node = nodeOf(stored);
      if (node === "") return;
      let pods = nodes.get(node);
      if (!pods) {
        pods = new Map();
        nodes.set(node, pods);
      }
      pods.set(stored.key, stored);
    },
    remove(stored) {
      const node = nodeOf(stored);
      const pods = nodes.get(node);
      pods?.delete(stored.key);
      if (pods?.size === 0) nodes.delete(node);
    },
  });
  return {
    of: (node) =>
      Array.from(nodes.get(node)?.values() ?? [], ({ object }) => object as unknown as Pod),
    close,
  };
}
