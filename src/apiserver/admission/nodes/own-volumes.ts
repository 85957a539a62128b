import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { PersistentVolumeClaimSpec } from "../../../api/core/v1/volume/persistent-volume-claim-spec.ts";
import { PersistentVolumeClaimStatus } from "../../../api/core/v1/volume/persistent-volume-claim-status.ts";
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
