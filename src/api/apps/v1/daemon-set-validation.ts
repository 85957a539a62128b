import type { At } from "../../../schema/language/report.ts";
import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import { validatePodTemplateSpec } from "../../core/v1/pod/validation/pod-template-validation.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import {
  isEmptyLabelSelector,
  type LabelSelector,
  shownSelector,
  validateLabelSelector,
} from "../../meta/v1/label-selector.ts";
import { amountOf, validateAtMost100Percent, validateCountOrPercent } from "./count-or-percent.ts";
import type {
  DaemonSetSpec,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "./daemon-set-spec.ts";
import { validateCollisionCount, validateNonnegative } from "./replica-validation.ts";

export function validateDaemonSetSpec(
  spec: DaemonSetSpec,
  at: At,
  options: PodValidationOptions,
): void {
  const { selector, template } = spec;
  const { labels } = template.metadata;
  validateLabelSelector(selector, at.child("selector"), {
    allowInvalidValues: options.allowInvalidLabelValueInSelector,
  });
  if (!selects(selector, labels))
    at.invalid("template.metadata.labels", labels, "`selector` does not match template `labels`");
  if (selector && isEmptyLabelSelector(selector))
    at.invalid("selector", shownSelector(selector), "empty selector is invalid for daemonset");
  validatePodTemplateSpec(template, at.child("template"), options);
  if (template.spec.restartPolicy !== "Always")
    at.notSupported("template.spec.restartPolicy", template.spec.restartPolicy, ["Always"]);
  if (template.spec.activeDeadlineSeconds !== undefined)
    at.forbidden(
      "template.spec.activeDeadlineSeconds",
      "activeDeadlineSeconds in DaemonSet is not Supported",
    );
  validateNonnegative(spec, at, "minReadySeconds");
  validateUpdateStrategy(spec.updateStrategy, at.child("updateStrategy"));
  validateNonnegative(spec, at, "revisionHistoryLimit");
}

export function validateDaemonSetStatus(
  status: DaemonSetStatus,
  old: DaemonSetStatus,
  at: At,
): void {
  validateNonnegative(
    status,
    at,
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  );
  validateCollisionCount(status, old, at);
}

/** A selector that cannot be read is reported elsewhere. */
function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  try {
    return labelSelector(selector).matches(labels);
  } catch {
    return true;
  }
}

function validateUpdateStrategy({ type, rollingUpdate }: DaemonSetUpdateStrategy, at: At): void {
  if (type === "OnDelete") return;
  if (type === "RollingUpdate") {
    if (!rollingUpdate) at.required("rollingUpdate");
    else validateRollingUpdate(rollingUpdate, at.child("rollingUpdate"));
    return;
  }
  // Shown as upstream holds it in memory.
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const shown = { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  at.notSupported("", { Type: type, RollingUpdate: rollingUpdate ? shown : null }, [
    "RollingUpdate",
    "OnDelete",
  ]);
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
  at: At,
): void {
  validateCountOrPercent("maxUnavailable", maxUnavailable, at);
  validateCountOrPercent("maxSurge", maxSurge, at);
  validateAtMost100Percent("maxUnavailable", maxUnavailable, at);
  validateAtMost100Percent("maxSurge", maxSurge, at);
  const mayMiss = amountOf(maxUnavailable) !== 0;
  const mayExceed = amountOf(maxSurge) !== 0;
  if (mayMiss && mayExceed)
    at.invalid("maxSurge", maxSurge, "may not be set when maxUnavailable is non-zero");
  else if (!mayMiss && !mayExceed) at.required("maxUnavailable", "cannot be 0 when maxSurge is 0");
}
