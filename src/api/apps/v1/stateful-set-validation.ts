import type { At } from "../../../schema/language/report.ts";
import { labelSelector, type Selector } from "../../../schema/selectors/label-selector.ts";
import { isDns1123Label } from "../../../schema/values/names.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { validatePodAnnotations } from "../../core/v1/pod/validation/pod-annotation-validation.ts";
import { validatePodTemplateSpec } from "../../core/v1/pod/validation/pod-template-validation.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import { validateClaimSpec } from "../../core/v1/volume/persistent-volume-claim-spec.ts";
import {
  isEmptyLabelSelector,
  type LabelSelector,
  shownSelector,
  validateLabelSelector,
} from "../../meta/v1/label-selector.ts";
import { validateAnnotations, validateLabels } from "../../meta/v1/object-meta-validation.ts";
import { amountOf, validateAtMost100Percent, validateCountOrPercent } from "./count-or-percent.ts";
import { validateNonnegative } from "./replica-validation.ts";
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from "./stateful-set-spec.ts";

/** What is not looked at in an update, since it cannot change or was wrong already. */
export interface StatefulSetOptions {
  readonly pod: PodValidationOptions;
  readonly isUpdate?: boolean;
  readonly skipPodTemplate?: boolean;
}

export function validateStatefulSetSpec(
  spec: StatefulSetSpec,
  at: At,
  options: StatefulSetOptions,
): void {
  const { podManagementPolicy, serviceName, ordinals, selector, template } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel")
    at.invalid("podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  validateUpdateStrategy(spec.updateStrategy, at.child("updateStrategy"));
  validateRetention(
    spec.persistentVolumeClaimRetentionPolicy,
    at.child("persistentVolumeClaimRetentionPolicy"),
  );
  if (!options.isUpdate)
    for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries())
      validateClaimSpec(claim.spec, at.child("volumeClaimTemplates").index(i).child("spec"));
  validateNonnegative(spec, at, "replicas", "minReadySeconds");
  if (ordinals) validateNonnegative(ordinals, at.child("ordinals"), "start");
  if (!options.isUpdate && serviceName)
    at.invalidEach("serviceName", serviceName, isDns1123Label(serviceName));
  const compiled = validateSelector(selector, at);
  if (compiled) validateTemplate(spec, compiled, { at: at.child("template"), ...options });
  if (template.spec.restartPolicy !== "Always")
    at.notSupported("template.spec.restartPolicy", template.spec.restartPolicy, ["Always"]);
  if (template.spec.activeDeadlineSeconds !== undefined)
    at.forbidden(
      "template.spec.activeDeadlineSeconds",
      "activeDeadlineSeconds in StatefulSet is not Supported",
    );
}

export function validateStatefulSetStatus(status: StatefulSetStatus, at: At): void {
  const { replicas, readyReplicas = 0, availableReplicas } = status;
  validateNonnegative(
    status,
    at,
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  );
  for (const part of [
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
  ] as const) {
    const count = status[part] ?? 0;
    if (count > replicas) at.invalid(part, count, "cannot be greater than status.replicas");
  }
  if (availableReplicas > readyReplicas)
    at.invalid(
      "availableReplicas",
      availableReplicas,
      "cannot be greater than status.readyReplicas",
    );
}

function validateUpdateStrategy({ type, rollingUpdate }: StatefulSetUpdateStrategy, at: At): void {
  if (type === "RollingUpdate") {
    if (rollingUpdate) validateRollingUpdate(rollingUpdate, at.child("rollingUpdate"));
  } else if (type === "OnDelete") {
    if (rollingUpdate)
      at.invalid(
        "rollingUpdate",
        shownRollingUpdate(rollingUpdate),
        "only allowed for updateStrategy 'RollingUpdate'",
      );
  } else
    at.invalid(
      "",
      { Type: type, RollingUpdate: shownRollingUpdate(rollingUpdate) },
      "must be 'RollingUpdate' or 'OnDelete'",
    );
}

/** As upstream holds it in memory. */
const shownRollingUpdate = (update: RollingUpdateStatefulSetStrategy | undefined) =>
  update
    ? { Partition: update.partition ?? 0, MaxUnavailable: update.maxUnavailable ?? null }
    : null;

function validateRollingUpdate(update: RollingUpdateStatefulSetStrategy, at: At): void {
  const { maxUnavailable } = update;
  validateNonnegative(update, at, "partition");
  if (maxUnavailable === undefined) return;
  validateCountOrPercent("maxUnavailable", maxUnavailable, at);
  if (amountOf(maxUnavailable) === 0) at.invalid("maxUnavailable", maxUnavailable, "cannot be 0");
  validateAtMost100Percent("maxUnavailable", maxUnavailable, at);
}

function validateRetention(policy: StatefulSetPersistentVolumeClaimRetentionPolicy, at: At): void {
  for (const field of ["whenDeleted", "whenScaled"] as const)
    if (policy[field] !== "Retain" && policy[field] !== "Delete")
      at.notSupported(field, policy[field], ["Retain", "Delete"]);
}

/** The selector, where it can be read. */
function validateSelector(selector: LabelSelector | undefined, at: At): Selector | undefined {
  if (!selector) at.required("selector");
  else {
    validateLabelSelector(selector, at.child("selector"));
    if (isEmptyLabelSelector(selector))
      at.invalid("selector", shownSelector(selector), "empty selector is invalid for statefulset");
  }
  try {
    return labelSelector(selector);
  } catch {
    at.invalid("selector", shownSelector(selector), "");
    return undefined;
  }
}

function validateTemplate(
  spec: StatefulSetSpec,
  selector: Selector,
  { at, pod, skipPodTemplate }: StatefulSetOptions & { readonly at: At },
): void {
  const template = withOwnVolumes(spec);
  const { labels, annotations } = template.metadata;
  const isEmpty = selector.selectable && selector.requirements.length === 0;
  if (!isEmpty && !selector.matches(labels))
    at.invalid("metadata.labels", labels, "`selector` does not match template `labels`");
  if (!skipPodTemplate) validatePodTemplateSpec(template, at, pod);
  validateLabels(labels, at.child("labels"));
  validateAnnotations(annotations, at.child("annotations"));
  validatePodAnnotations(annotations, at.child("annotations"), {
    spec: template.spec,
    options: pod,
  });
}

/** The template as the pods will be: with a volume for each claim, and without names of its own. */
function withOwnVolumes({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata.name ?? ""));
  const { hostname: _, subdomain: __, volumes, ...spec } = template.spec;
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (volumes ?? []).filter(({ name }) => !names.has(name));
  return {
    ...template,
    spec: { ...spec, volumes: names.size === 0 ? volumes : [...claimed, ...others] },
  };
}
