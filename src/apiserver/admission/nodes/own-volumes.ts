import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { PersistentVolumeClaimSpec } from "../../../api/core/v1/volume/persistent-volume-claim-spec.ts";
import { PersistentVolumeClaimStatus } from "../../../api/core/v1/volume/persistent-volume-claim-status.ts";
import { localDataFinalizer, volumeNode } from "../../../api/core/v1/volume/wherry-local-volume.ts";
import { internalForm } from "../../../api/meta/v1/internal-form.ts";
import { unifiedDiff } from "../../../base/unified-diff.ts";
import { goJson } from "../../../schema/json/go-json.ts";
import { copyJson, sameJson } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import type { NodeRule } from "./node-restriction.ts";

/** A node may write only what it learns of the size of a volume. */
export const claimStatuses: NodeRule = ({ node, attributes }) => {
  const { operation } = attributes;
  if (operation !== "UPDATE") return `unexpected operation ${quote(operation)}`;
  const old = restOf(oldOf(PersistentVolumeClaim, attributes));
  const now = restOf(objectOf(PersistentVolumeClaim, attributes));
  if (sameJson(old, now)) return undefined;
  const changes = unifiedDiff(goText(old), goText(now));
  return `node ${quote(node)} is not allowed to update fields other than status.quantity and status.conditions: ${changes}`;
};

/** A node may only say whether it has data of a volume that was made for it. */
export const localVolumes: NodeRule = ({ node, attributes }) => {
  const { operation, subresource } = attributes;
  const why = `node ${quote(node)} may only change the finalizer ${quote(localDataFinalizer)} of volumes on it`;
  if (operation !== "UPDATE" || subresource !== "") return why;
  const old = oldOf(PersistentVolume, attributes);
  if (old.metadata.annotations?.[volumeNode] !== node) return why;
  const now = objectOf(PersistentVolume, attributes);
  return sameJson(withoutLocalData(old), withoutLocalData(now)) ? undefined : why;
};

function withoutLocalData(volume: PersistentVolume): PersistentVolume {
  const { metadata, ...rest } = PersistentVolume.form.canonical(
    copyJson(volume),
  ) as PersistentVolume;
  const { resourceVersion: _, managedFields: __, finalizers = [], ...kept } = metadata;
  const others = finalizers.filter((one) => one !== localDataFinalizer);
  return { ...rest, metadata: { ...kept, finalizers: others } };
}

/** A claim without the fields that a node may change. */
function restOf(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { metadata, status, ...rest } = PersistentVolumeClaim.form.canonical(
    copyJson(claim),
  ) as PersistentVolumeClaim;
  const { resourceVersion: _, managedFields: __, ...kept } = metadata;
  const { capacity, conditions, allocatedResourceStatuses, allocatedResources, ...other } = status;
  return { ...rest, metadata: kept, status: other };
}

/** A claim as Go writes the object that it has in memory: without type, the metadata embedded. */
const goText = ({ metadata, spec, status }: PersistentVolumeClaim): string =>
  goJson(
    {
      ...metadata,
      Spec: internalForm(PersistentVolumeClaimSpec, spec),
      Status: internalForm(PersistentVolumeClaimStatus, status),
    },
    1,
  );
