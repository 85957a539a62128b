import type { Draft } from "../../../../schema/language/struct.ts";
import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";

/**
 * Removes sources that a claim may not name: of another namespace, and in `dataSource` alone what is
 * neither a claim nor a snapshot. What the stored claim has stays.
 */
export function dropDataSources(
  spec: Draft<PersistentVolumeClaimSpec>,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) spec.dataSourceRef = undefined;
  if (old?.dataSource || old?.dataSourceRef || spec.dataSourceRef || !spec.dataSource) return;
  const { apiGroup, kind } = spec.dataSource;
  const known = apiGroup
    ? kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io"
    : kind === "PersistentVolumeClaim";
  if (!known) spec.dataSource = undefined;
}

/** Where a claim names its source in one way, it is named in the other too. */
export function completeDataSources(spec: Draft<PersistentVolumeClaimSpec>): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { namespace: _, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}
