import { createHash } from "node:crypto";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { CsiVolumeKey } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import type { SecretPlace } from "../../../../api/core/v1/volume/persistent-volume-secrets.ts";
import type { VolumeSpec } from "../volume-plugin.ts";

/** A volume of a CSI driver, as the kubelet has to use it. */
export interface CsiVolume extends CsiVolumeKey {
  /** The name of the persistent volume, or of the volume in the pod. */
  readonly name: string;
  /** Ephemeral volumes live as long as their pod, which says all that there is to know of them. */
  readonly lifecycle: "Persistent" | "Ephemeral";
  readonly isBlock: boolean;
  readonly readOnly: boolean;
  readonly fsType: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly accessModes?: readonly string[] | undefined;
  readonly mountOptions: readonly string[];
  readonly stageSecret?: SecretPlace | undefined;
  readonly publishSecret?: SecretPlace | undefined;
  readonly expandSecret?: SecretPlace | undefined;
}

/** The volume of a driver; undefined for other volumes. */
export function csiVolumeOf(
  { name, source, persistentVolume, readOnly, mode }: VolumeSpec,
  { metadata }: Pick<Pod, "metadata">,
): CsiVolume | undefined {
  if (source.csi) return ephemeralVolume(name, source.csi, metadata);
  const { csi, accessModes, mountOptions = [] } = persistentVolume?.spec ?? {};
  if (!csi) return undefined;
  return {
    ...{ name, driver: csi.driver, handle: csi.volumeHandle, lifecycle: "Persistent" },
    ...{ isBlock: mode === "Block", readOnly, fsType: csi.fsType ?? "" },
    ...{ attributes: csi.volumeAttributes ?? {}, accessModes, mountOptions },
    stageSecret: placeOf(csi.nodeStageSecretRef),
    publishSecret: placeOf(csi.nodePublishSecretRef),
    expandSecret: placeOf(csi.nodeExpandSecretRef),
  };
}

function ephemeralVolume(
  name: string,
  source: NonNullable<VolumeSpec["source"]["csi"]>,
  { uid = "", namespace = "" }: Pod["metadata"],
): CsiVolume {
  const secret = source.nodePublishSecretRef;
  return {
    ...{ name, driver: source.driver, lifecycle: "Ephemeral", isBlock: false },
    handle: `csi-${sha256(`${uid}${name}`)}`,
    ...{ readOnly: source.readOnly ?? false, fsType: source.fsType ?? "" },
    ...{ attributes: source.volumeAttributes ?? {}, mountOptions: [] },
    publishSecret: secret && { namespace, name: secret.name ?? "" },
  };
}

const placeOf = (
  secret: { readonly [K in keyof SecretPlace]?: string | undefined } | undefined,
): SecretPlace | undefined =>
  secret && { namespace: secret.namespace ?? "", name: secret.name ?? "" };

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
