import type { At } from "../../../../schema/language/report.ts";
import type { Draft } from "../../../../schema/language/struct.ts";
import { compareQuantities, parseQuantity } from "../../../../schema/values/quantity.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { semanticEqual } from "../../../meta/v1/semantic-equal.ts";
import { goDiff } from "../pod/pod-spec-diff.ts";
import { completeDataSources } from "./persistent-volume-claim-data-source.ts";
import { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import type { PersistentVolumeClaimStatus } from "./persistent-volume-claim-status.ts";
import { storageClassAnnotation } from "./storage-class-annotation.ts";

interface Claim {
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
  readonly status: PersistentVolumeClaimStatus;
}

/** What of a claim may not change: all but its size, and the classes where it had none. */
export function validateClaimUpdate(claim: Claim, old: Claim, at: At): void {
  const now = copyOf(claim.spec);
  const before = copyOf(old.spec);
  completeDataSources(before);
  if (!before.volumeName) before.volumeName = now.volumeName;
  allowStorageClass(claim, old, { now, at });
  allowGrowth(claim, { now, before });
  if (
    !semanticEqual(
      PersistentVolumeClaimSpec,
      now as PersistentVolumeClaimSpec,
      before as PersistentVolumeClaimSpec,
    )
  ) {
    const diff = goDiff(
      PersistentVolumeClaimSpec,
      before as PersistentVolumeClaimSpec,
      now as PersistentVolumeClaimSpec,
    );
    const detail = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${diff}`;
    at.forbidden("spec", detail);
  }
  validateSize(claim, old, at);
  if (claim.spec.volumeMode !== old.spec.volumeMode)
    at.invalid("volumeMode", claim.spec.volumeMode, "field is immutable");
  validateAttributesClassChange(claim, old, at);
}

type SpecDraft = Draft<PersistentVolumeClaimSpec>;
const copyOf = (spec: PersistentVolumeClaimSpec): SpecDraft => structuredClone(spec) as SpecDraft;

/** A claim without a class may get one; what an annotation named may become the field. */
function allowStorageClass(
  claim: Claim,
  old: Claim,
  { now, at }: { readonly now: SpecDraft; readonly at: At },
): void {
  const annotated = old.metadata.annotations?.[storageClassAnnotation];
  const stillAnnotated = claim.metadata.annotations?.[storageClassAnnotation];
  const { storageClassName } = claim.spec;
  const getsClass = storageClassName !== undefined && old.spec.storageClassName === undefined;
  const getsAnnotated = getsClass && storageClassName === annotated;
  if (!getsAnnotated || (stillAnnotated !== undefined && stillAnnotated !== annotated)) {
    if ((stillAnnotated ?? "") !== (annotated ?? ""))
      at.invalid(
        `metadata.annotations.${storageClassAnnotation}`,
        stillAnnotated ?? "",
        "field is immutable",
      );
    if (!getsClass || (annotated !== undefined && !getsAnnotated)) return;
  }
  now.storageClassName = undefined;
}

/** A bound claim may ask for another size, and for another class of attributes. */
function allowGrowth(
  { status }: Claim,
  { now, before }: { readonly now: SpecDraft; readonly before: SpecDraft },
): void {
  if (status.phase !== "Bound") return;
  if (now.resources.requests)
    now.resources.requests.storage = before.resources.requests?.storage ?? "0";
  now.volumeAttributesClassName = before.volumeAttributesClassName;
}

/** Less may be asked for only to take back a growth that failed. */
function validateSize(claim: Claim, old: Claim, at: At): void {
  const size = parseQuantity(claim.spec.resources.requests?.storage ?? "0");
  const before = parseQuantity(old.spec.resources.requests?.storage ?? "0");
  const actual = parseQuantity(old.status.capacity?.storage ?? "0");
  if (compareQuantities(size, before) < 0 && compareQuantities(size, actual) <= 0)
    at.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
}

function validateAttributesClassChange(claim: Claim, old: Claim, at: At): void {
  const name = claim.spec.volumeAttributesClassName;
  if (name === old.spec.volumeAttributesClassName || name) return;
  if (old.status.currentVolumeAttributesClassName === undefined) return;
  at.forbidden(
    "spec.volumeAttributesClassName",
    `update to ${name === undefined ? "nil" : "empty string"} is forbidden when status.currentVolumeAttributesClassName is not nil`,
  );
}
