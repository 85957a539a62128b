import type { At } from "../../../../schema/language/report.ts";
import { isDns1123Label, nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { validateAzureDisk, validateAzureFile } from "./sources/azure.ts";
import { validateCephFs, validateRbd } from "./sources/ceph.ts";
import {
  validateAwsElasticBlockStore,
  validateCinder,
  validateGcePersistentDisk,
  validatePhotonPersistentDisk,
  validateVsphereVolume,
} from "./sources/cloud-disks.ts";
import { validateConfigMapSource } from "./sources/config-map.ts";
import { validateCsi } from "./sources/csi.ts";
import { validateDownwardApi } from "./sources/downward-api.ts";
import { validateEmptyDir } from "./sources/empty-dir.ts";
import { validateEphemeral } from "./sources/ephemeral.ts";
import { validateFc } from "./sources/fc.ts";
import { validateFlexVolume } from "./sources/flex-volume.ts";
import { validateGitRepo } from "./sources/git-repo.ts";
import { validateHostPath } from "./sources/host-path.ts";
import { validateImageSource } from "./sources/image.ts";
import { validateIscsi } from "./sources/iscsi.ts";
import { validateNfs } from "./sources/nfs.ts";
import { validateClaimSource } from "./sources/persistent-volume-claim.ts";
import { type ProjectedOptions, validateProjected } from "./sources/projected.ts";
import { validateSecretSource } from "./sources/secret.ts";
import {
  validateFlocker,
  validateGlusterfs,
  validatePortworx,
  validateQuobyte,
  validateScaleIo,
  validateStorageOs,
} from "./sources/storage-clusters.ts";
import type { Volume, VolumeSource } from "./volume.ts";

export interface VolumeOptions extends ProjectedOptions {
  /** The volumes are those of a pod, not of a template. */
  readonly resourceIsPod?: boolean | undefined;
  /** The pod's name, where it is known: claims of ephemeral volumes are named after it. */
  readonly podName?: string | undefined;
}

/** The rules of a pod's volumes; gives those that are valid, by name, for mounts to refer to. */
export function validateVolumes(
  volumes: readonly Volume[],
  at: At,
  options: VolumeOptions,
): ReadonlyMap<string, Volume> {
  const { podName } = options;
  const createdClaims = new Set<string>();
  if (podName)
    for (const { ephemeral, name } of volumes)
      if (ephemeral) createdClaims.add(`${podName}-${name}`);
  const valid = new Map<string, Volume>();
  for (const [i, volume] of volumes.entries()) {
    const here = at.index(i);
    const before = here.errors.length;
    validateSource(volume, here, options);
    if (!volume.name) here.required("name");
    else here.invalidEach("name", volume.name, isDns1123Label(volume.name));
    if (valid.has(volume.name)) here.duplicate("name", volume.name);
    if (here.errors.length === before) valid.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && createdClaims.has(claimName))
      here.invalid(
        "persistentVolumeClaim.claimName",
        claimName,
        "must not reference a PVC that gets created for an ephemeral volume",
      );
  }
  return valid;
}

function validateSource(volume: Volume, at: At, options: VolumeOptions): void {
  let found = 0;
  for (const { name, ruledAs, forbiddenAs, rule, also } of sources) {
    const source = volume[name] as never;
    if (source === undefined) continue;
    found++;
    if (found > 1) at.forbidden(forbiddenAs ?? name, "may not specify more than 1 volume type");
    else rule(source, at.child(ruledAs ?? name), options);
    also?.({ volume, at, options, first: found === 1 });
  }
  if (found === 0) at.required("", "must specify a volume type");
}

interface SourceRule {
  readonly name: keyof VolumeSource;
  readonly rule: (source: never, at: At, options: VolumeOptions) => void;
  /** The name under which upstream reports what is wrong inside, where it is another. */
  readonly ruledAs?: string;
  /** The name under which upstream reports that there is another source already. */
  readonly forbiddenAs?: string;
  /** What is asked of the volume that holds the source. */
  also?(context: VolumeContext): void;
}
interface VolumeContext {
  readonly volume: Volume;
  readonly at: At;
  readonly options: VolumeOptions;
  /** It is the volume's first source. */
  readonly first: boolean;
}

const source = <N extends keyof VolumeSource>(
  name: N,
  rule: (source: NonNullable<VolumeSource[N]>, at: At, options: VolumeOptions) => void,
  more: Pick<SourceRule, "ruledAs" | "forbiddenAs" | "also"> = {},
): SourceRule => ({ name, rule, ...more });

/** In upstream's order: a volume's first source is looked into, the others are refused. */
const sources: readonly SourceRule[] = [
  source("emptyDir", validateEmptyDir),
  source("hostPath", validateHostPath),
  source("gitRepo", validateGitRepo),
  source("gcePersistentDisk", validateGcePersistentDisk, { ruledAs: "persistentDisk" }),
  source("awsElasticBlockStore", validateAwsElasticBlockStore),
  source("secret", validateSecretSource),
  source("nfs", validateNfs),
  source("iscsi", validateIscsi, { also: validatePortalName }),
  source("glusterfs", validateGlusterfs),
  source("flocker", validateFlocker),
  source("persistentVolumeClaim", validateClaimSource),
  source("rbd", validateRbd),
  source("cinder", validateCinder),
  source("cephfs", validateCephFs, { forbiddenAs: "cephFS" }),
  source("quobyte", validateQuobyte),
  source("downwardAPI", validateDownwardApi, { forbiddenAs: "downwarAPI" }),
  source("fc", validateFc),
  source("flexVolume", validateFlexVolume),
  source("configMap", validateConfigMapSource),
  source("azureFile", validateAzureFile),
  source("vsphereVolume", validateVsphereVolume),
  source("photonPersistentDisk", validatePhotonPersistentDisk),
  source("portworxVolume", validatePortworx),
  source("azureDisk", validateAzureDisk),
  source("storageos", validateStorageOs),
  source("projected", validateProjected),
  source("scaleIO", validateScaleIo),
  source("csi", validateCsi),
  source("ephemeral", validateEphemeral, { also: validateClaimName }),
  source("image", validateImageSource),
];

function validatePortalName({ volume, at }: VolumeContext): void {
  if (volume.iscsi?.initiatorName === undefined) return;
  const label = `${volume.name}:${volume.iscsi.targetPortal}`;
  if (new TextEncoder().encode(label).length > 64)
    at.invalid(
      "name",
      volume.name,
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
    );
}

function validateClaimName({ volume, at, options, first }: VolumeContext): void {
  if (!first || !options.podName || !volume.name) return;
  const claim = `${options.podName}-${volume.name}`;
  for (const message of nameIsDnsSubdomain(claim))
    at.invalid("name", volume.name, `PVC name ${quote(claim)}: ${message}`);
}
