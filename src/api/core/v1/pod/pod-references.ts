import { allContainers } from "./pod-containers.ts";
import type { PodSpec } from "./pod-spec.ts";

/** The names of all secrets that a pod refers to, in its own namespace. */
export function podSecretNames(spec: PodSpec): readonly string[] {
  return given([
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...allContainers(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ...envFrom.map(({ secretRef }) => secretRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap((volume) => [
      volume.azureFile?.secretName,
      volume.cephfs?.secretRef?.name,
      volume.cinder?.secretRef?.name,
      volume.flexVolume?.secretRef?.name,
      ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
      volume.rbd?.secretRef?.name,
      volume.secret?.secretName,
      volume.scaleIO?.secretRef?.name,
      volume.iscsi?.secretRef?.name,
      volume.storageos?.secretRef?.name,
      volume.csi?.nodePublishSecretRef?.name,
    ]),
  ]);
}

/** The names of all ConfigMaps that a pod refers to, in its own namespace. */
export function podConfigMapNames(spec: PodSpec): readonly string[] {
  return given([
    ...allContainers(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ]);
}

/** The names of all claims of volumes that a pod refers to, those that are made for it among them. */
export const podClaimNames = (podName: string, { volumes = [] }: PodSpec): readonly string[] =>
  given(
    volumes.map(({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim ? persistentVolumeClaim.claimName : ephemeral && `${podName}-${name}`,
    ),
  );

const given = (names: readonly (string | undefined)[]): readonly string[] =>
  names.filter((name): name is string => !!name);
