import type { At } from "../../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { parseQuantity, quantitySign, quantityValue } from "../../../../schema/values/quantity.ts";
import { internalForm } from "../../../meta/v1/internal-form.ts";
import { semanticEqual } from "../../../meta/v1/semantic-equal.ts";
import { goDiff } from "../pod/pod-spec-diff.ts";
import type { ResourceList } from "../resource-list.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../scheduling/node-selector.ts";
import { validateNodeSelector } from "../scheduling/node-selector-validation.ts";
import { validateAccessModes } from "./access-modes.ts";
import {
  PersistentVolumeSource,
  sourceOf,
  validatePersistentSource,
} from "./persistent-volume-source.ts";
import { type PersistentVolumeSpec, VolumeNodeAffinity } from "./persistent-volume-spec.ts";

export interface VolumeSpecOptions {
  readonly volumeName: string;
  /** Values that are no label values pass in the affinity: the stored volume had such already. */
  readonly allowInvalidLabelValues?: boolean | undefined;
}

const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const volumeModes = ["Block", "Filesystem"];

/** The rules of the spec of a persistent volume. */
export function validateVolumeSpec(
  spec: PersistentVolumeSpec,
  at: At,
  { volumeName, allowInvalidLabelValues }: VolumeSpecOptions,
): void {
  const { persistentVolumeReclaimPolicy: policy, storageClassName, volumeMode } = spec;
  if (!spec.accessModes?.length) at.required("accessModes");
  validateAccessModes(spec.accessModes ?? [], at);
  validateCapacity(spec.capacity, at.child("capacity"));
  if (policy && !reclaimPolicies.includes(policy))
    at.notSupported("persistentVolumeReclaimPolicy", policy, reclaimPolicies);
  validateNodeAffinity(spec.nodeAffinity, at.child("nodeAffinity"), allowInvalidLabelValues);
  validatePersistentSource(spec, at, { volumeName, hasNodeAffinity: !!spec.nodeAffinity });
  validateRecycling(spec, at);
  if (storageClassName)
    at.invalidEach("storageClassName", storageClassName, nameIsDnsSubdomain(storageClassName));
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode))
    at.notSupported("volumeMode", volumeMode, volumeModes);
  validateAttributesClass(spec, at);
}

/** The rules of the spec of a volume that is known only to the object it stands in. */
export function validateInlineVolumeSpec(spec: PersistentVolumeSpec, at: At): void {
  const inline = "in the context of inline volumes";
  const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  if (spec.claimRef) at.forbidden("claimRef", `may not be specified ${inline}`);
  if (Object.keys(spec.capacity ?? {}).length > 0)
    at.forbidden("capacity", `may not be specified ${inline}`);
  if (!spec.csi) at.required("csi", `has to be specified ${inline}`);
  if (!spec.accessModes?.length) at.required("accessModes");
  validateAccessModes(spec.accessModes ?? [], at);
  if (policy && policy !== "Retain")
    at.forbidden("persistentVolumeReclaimPolicy", `may only be Retain ${inline}`);
  if (spec.nodeAffinity) at.forbidden("nodeAffinity", `may not be specified ${inline}`);
  validatePersistentSource(spec, at, { volumeName: "", hasNodeAffinity: false });
  validateRecycling(spec, at);
  if (spec.storageClassName) at.forbidden("storageClassName", `may not be specified ${inline}`);
  if (volumeMode !== undefined && volumeMode !== "Filesystem")
    at.forbidden("volumeMode", `may not specify volumeMode other than Filesystem ${inline}`);
}

/** What of a volume may not change, beside what is asked of a new one. */
export function validateVolumeSpecUpdate(
  spec: PersistentVolumeSpec,
  old: PersistentVolumeSpec,
  at: At,
): void {
  const before = sourceOf(old);
  const now = sourceOf(withoutNewExpandSecret(spec, old));
  if (!semanticEqual(PersistentVolumeSource, now, before)) {
    const diff = goDiff(PersistentVolumeSource, before, now);
    const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    at.forbidden("spec.persistentvolumesource", detail);
  }
  if (spec.volumeMode !== old.volumeMode)
    at.invalid("volumeMode", spec.volumeMode, "field is immutable");
  if (old.nodeAffinity && !sameAffinity(spec.nodeAffinity, old.nodeAffinity))
    at.invalid(
      "nodeAffinity",
      internalForm(VolumeNodeAffinity, spec.nodeAffinity),
      "field is immutable, except for updating from beta label to GA",
    );
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    at.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
}

/** An amount is not below zero, when it is rounded to a whole. */
export function validateBasicResource(amount: string, at: At): boolean {
  const whole = quantityValue(parseQuantity(amount));
  if (whole >= 0) return true;
  at.invalid("", whole, "must be a valid resource quantity");
  return false;
}

function validateCapacity(capacity: ResourceList | undefined, at: At): void {
  const amounts = Object.entries(capacity ?? {});
  if (amounts.length === 0) at.required();
  if (amounts.length > 1 || !Object.hasOwn(capacity ?? {}, "storage"))
    at.notSupported("", capacity ?? null, ["storage"]);
  for (const [name, amount] of amounts) {
    validateBasicResource(amount, at.key(name));
    if (quantitySign(parseQuantity(amount)) <= 0)
      at.key(name).invalid("", amount, "must be greater than zero");
  }
}

function validateNodeAffinity(
  affinity: VolumeNodeAffinity | undefined,
  at: At,
  allowInvalidValues: boolean | undefined,
): void {
  if (!affinity) return;
  if (affinity.required)
    validateNodeSelector(affinity.required, at.child("required"), { allowInvalidValues });
  else at.required("required", "must specify required node constraints");
}

function validateRecycling(
  { hostPath, persistentVolumeReclaimPolicy }: PersistentVolumeSpec,
  at: At,
): void {
  if (hostPath && persistentVolumeReclaimPolicy === "Recycle" && isRoot(hostPath.path))
    at.forbidden(
      "persistentVolumeReclaimPolicy",
      "may not be 'recycle' for a hostPath mount of '/'",
    );
}

/** Whether a path leads to the root, by whatever detour. */
function isRoot(path: string): boolean {
  if (!path.startsWith("/")) return false;
  let depth = 0;
  for (const element of path.split("/")) {
    if (element === "..") depth = Math.max(0, depth - 1);
    else if (element !== "" && element !== ".") depth++;
  }
  return depth === 0;
}

function validateAttributesClass(
  { volumeAttributesClassName: name, csi }: PersistentVolumeSpec,
  at: At,
): void {
  if (name === undefined) return;
  if (name === "") at.required("volumeAttributesClassName", "an empty string is disallowed");
  else at.invalidEach("volumeAttributesClassName", name, nameIsDnsSubdomain(name));
  if (!csi) at.required("csi", "has to be specified when using volumeAttributesClassName");
}

/** The secret for making a volume larger may be added where there is none. */
function withoutNewExpandSecret(
  spec: PersistentVolumeSpec,
  old: PersistentVolumeSpec,
): PersistentVolumeSpec {
  if (!spec.csi || !old.csi || old.csi.controllerExpandSecretRef) return spec;
  return { ...spec, csi: { ...spec.csi, controllerExpandSecretRef: undefined } };
}

/** Labels that got another name when they became stable. */
const stableLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** Whether an affinity says what the old one said, maybe with the stable names of labels. */
function sameAffinity(now: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): boolean {
  if (!now) return false;
  return semanticEqual(VolumeNodeAffinity, now, renamed(old, now));
}

function renamed(old: VolumeNodeAffinity, now: VolumeNodeAffinity): VolumeNodeAffinity {
  if (!old.required) return old;
  const terms = now.required?.nodeSelectorTerms;
  const nodeSelectorTerms = old.required.nodeSelectorTerms?.map((term, i) => ({
    matchExpressions: renamedKeys(term, terms?.[i], "matchExpressions"),
    matchFields: renamedKeys(term, terms?.[i], "matchFields"),
  }));
  return { required: { nodeSelectorTerms } };
}

function renamedKeys(
  old: NodeSelectorTerm,
  now: NodeSelectorTerm | undefined,
  list: "matchExpressions" | "matchFields",
): readonly NodeSelectorRequirement[] | undefined {
  return old[list]?.map((requirement, i) => {
    const key = now?.[list]?.[i]?.key;
    // Upstream lets a key go that has no stable name; it is refused for being empty.
    const isNewName = key !== undefined && (stableLabels[requirement.key] ?? "") === key;
    return isNewName ? { ...requirement, key } : requirement;
  });
}
