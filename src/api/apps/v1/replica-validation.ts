import type { At } from "../../../schema/language/report.ts";
import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { validatePodTemplateSpec } from "../../core/v1/pod/validation/pod-template-validation.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import {
  isEmptyLabelSelector,
  type LabelSelector,
  shownSelector,
  validateLabelSelector,
} from "../../meta/v1/label-selector.ts";

export interface Replicated {
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec;
}

/** The rules of selector and template of what keeps a number of equal pods running. */
export function validateReplicated(
  { selector, template }: Replicated,
  at: At,
  options: PodValidationOptions,
): void {
  const before = at.errors.length;
  if (!selector) at.required("selector");
  else validateLabelSelector(selector, at.child("selector"));
  const malformed = selector && at.errors.length > before;
  // Upstream says so of every kind.
  if (selector && isEmptyLabelSelector(selector))
    at.invalid("selector", shownSelector(selector), "empty selector is invalid for deployment");
  if (malformed) at.invalid("selector", shownSelector(selector), "invalid label selector");
  else validateTemplate({ selector, template }, at.child("template"), options);
}

function validateTemplate(
  { selector, template }: Replicated,
  at: At,
  options: PodValidationOptions,
): void {
  const { labels } = template.metadata;
  if (!labelSelector(selector).matches(labels))
    at.invalid("metadata.labels", labels, "`selector` does not match template `labels`");
  validatePodTemplateSpec(template, at, options);
  if (template.spec.restartPolicy !== "Always")
    at.notSupported("spec.restartPolicy", template.spec.restartPolicy, ["Always"]);
  if (template.spec.activeDeadlineSeconds !== undefined)
    at.forbidden(
      "spec.activeDeadlineSeconds",
      "activeDeadlineSeconds in ReplicaSet is not Supported",
    );
}

/** Numbers that may be absent, but not negative. */
export function validateNonnegative<T>(
  value: T,
  at: At,
  ...fields: readonly (keyof T & string)[]
): void {
  for (const field of fields) {
    const number = value[field];
    if (typeof number === "number" && number < 0)
      at.invalid(field, number, "must be greater than or equal to 0");
  }
}

interface ReplicaCounts {
  readonly replicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
}

/** No part of the pods is larger than all of them; `counted` are the parts beside the usual ones. */
export function validateReplicaCounts<T extends ReplicaCounts>(
  status: T,
  at: At,
  counted: keyof T & string,
): void {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const field of [counted, "readyReplicas", "availableReplicas"] as const) {
    const count = (status[field] as number | undefined) ?? 0;
    if (count > replicas) at.invalid(field, count, "cannot be greater than status.replicas");
  }
  if (availableReplicas > readyReplicas)
    at.invalid("availableReplicas", availableReplicas, "cannot be greater than readyReplicas");
}

interface Collisions {
  readonly collisionCount?: number | undefined;
}

/** How often a name was taken already never falls. */
export function validateCollisionCount(status: Collisions, old: Collisions, at: At): void {
  const { collisionCount } = status;
  if (old.collisionCount !== undefined && (collisionCount ?? -1) < old.collisionCount)
    at.invalid("collisionCount", collisionCount ?? 0, "cannot be decremented");
}
