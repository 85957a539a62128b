import {
  betaStorageProvisioner,
  migratedTo,
  provisionedBy,
  storageProvisioner,
} from "../../api/core/v1/volume/binding-annotations.ts";
import { migratedDriver } from "../../api/core/v1/volume/migrated-plugins.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";

/** The annotations of a claim or volume with the driver that is responsible for it; undefined if they have it. */
export function migratedAnnotations(
  { annotations = {} }: ObjectMeta,
  isClaim: boolean,
): Readonly<Record<string, string>> | undefined {
  const provisioner = isClaim
    ? (annotations[storageProvisioner] ?? annotations[betaStorageProvisioner])
    : annotations[provisionedBy];
  if (provisioner === undefined) return undefined;
  const driver = migratedDriver(provisioner);
  if ((annotations[migratedTo] ?? "") === (driver ?? "")) return undefined;
  const { [migratedTo]: _, ...others } = annotations;
  return driver === undefined ? others : { ...others, [migratedTo]: driver };
}
