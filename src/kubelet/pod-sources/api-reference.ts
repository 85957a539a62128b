import { podConfigMapNames, podSecretNames } from "../../api/core/v1/pod/pod-references.ts";
import type { PodSpec } from "../../api/core/v1/pod/pod-spec.ts";

/** The first kind of API objects that a pod refers to, in upstream's words; undefined if there is none. */
export function apiReference(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName || spec.serviceAccount) return "serviceaccounts";
  if (podSecretNames(spec).length > 0) return "secrets";
  if (podConfigMapNames(spec).length > 0) return "configmaps";
  if (spec.resourceClaims?.length) return "resourceclaims";
  return firstOf(spec.volumes ?? [], volumeReference);
}

type Volume = NonNullable<PodSpec["volumes"]>[number];
type Source = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

function volumeReference(volume: Volume): string | undefined {
  if (volume.configMap) return "configmaps (via configmap volumes)";
  if (volume.secret) return "secrets (via secret volumes)";
  if (volume.csi) return "csidrivers (via CSI volumes)";
  if (volume.glusterfs) return "endpoints (via glusterFS volumes)";
  if (volume.persistentVolumeClaim) return "persistentvolumeclaims";
  if (volume.ephemeral) return "persistentvolumeclaims (via ephemeral volumes)";
  if (volume.azureFile) return "secrets (via azureFile volumes)";
  return firstOf(volume.projected?.sources ?? [], projectedReference);
}

function projectedReference(source: Source): string | undefined {
  if (source.configMap) return "configmaps (via projected volumes)";
  if (source.secret) return "secrets (via projected volumes)";
  if (source.serviceAccountToken) return "serviceaccounts (via projected volumes)";
  if (source.clusterTrustBundle) return "clustertrustbundles";
  if (source.podCertificate) return "podcertificates";
  return undefined;
}

/** The first reference of any member of a list. */
function firstOf<T>(
  list: readonly T[],
  referenceOf: (one: T) => string | undefined,
): string | undefined {
  for (const one of list) {
    const found = referenceOf(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
