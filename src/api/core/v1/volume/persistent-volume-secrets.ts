import type { PersistentVolume } from "./persistent-volume.ts";

/** A secret by its place. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The secrets that a node needs to use a volume. */
export function persistentVolumeSecrets({ spec }: PersistentVolume): readonly SecretPlace[] {
  const own = spec.claimRef?.namespace ?? "";
  // Volumes of old say no namespace and mean that of their claim.
  const inClaims = [spec.cephfs, spec.flexVolume, spec.rbd, spec.scaleIO, spec.iscsi].map(
    (source) =>
      source?.secretRef && place(source.secretRef.namespace || own, source.secretRef.name),
  );
  const { azureFile, cinder, storageos, csi } = spec;
  const places = [
    azureFile && place(azureFile.secretNamespace || own, azureFile.secretName),
    ...inClaims,
    ...[
      cinder?.secretRef,
      storageos?.secretRef,
      csi?.nodePublishSecretRef,
      csi?.nodeStageSecretRef,
      csi?.nodeExpandSecretRef,
    ].map((secret) => secret && place(secret.namespace, secret.name)),
  ];
  return places.filter((one): one is SecretPlace => !!one && one.name !== "");
}

const place = (namespace = "", name = ""): SecretPlace => ({ namespace, name });
