import type { At } from "../../../schema/language/report.ts";
import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import { isDns1123Label, isDomainPrefixedPath } from "../../../schema/values/names.ts";
import { validateNonnegative } from "../../apps/v1/replica-validation.ts";
import { validatePodTemplateSpec } from "../../core/v1/pod/validation/pod-template-validation.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import {
  type LabelSelector,
  shownSelector,
  validateLabelSelector,
} from "../../meta/v1/label-selector.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { SuccessPolicy } from "./job-policies.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./job-policy-validation.ts";
import { generatedLabels } from "./job-selector.ts";
import type { JobSpec } from "./job-spec.ts";

const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
const manyCompletions = 100_000;
const maxParallelismOfMany = 10_000;
const maxFailedIndexesOfMany = 10_000;
const maxManagedByLength = 63;

export interface JobValidationOptions {
  readonly pod: PodValidationOptions;
  /** Whether the labels with a prefix must be there: jobs from before 1.27 have none. */
  readonly prefixedLabels: boolean;
}

interface JobBody {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
}

/** The rules of a job beside those of its metadata. */
export function validateJob(
  { metadata, spec }: JobBody,
  at: At,
  options: JobValidationOptions,
): void {
  validateGeneratedSelector({ metadata, spec }, at, options);
  validateJobSpec(spec, at.child("spec"), options.pod);
  const { completions = 0, completionMode } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return;
  const { name = "" } = metadata;
  const hostname = `${name}-${completions - 1}`;
  if (isDns1123Label(hostname).length > 0)
    at.invalid(
      "metadata.name",
      name,
      `will not able to create pod with invalid DNS label: ${hostname}`,
    );
}

/** The rules of a job's spec, with a selector that fits its template. */
export function validateJobSpec(spec: JobSpec, at: At, options: PodValidationOptions): void {
  const { selector, template } = spec;
  validateJobTemplate(spec, at, options);
  if (!selector) at.required("selector");
  else
    validateLabelSelector(selector, at.child("selector"), {
      allowInvalidValues: options.allowInvalidLabelValueInSelector,
    });
  const { labels } = template.metadata;
  if (!selects(selector, labels))
    at.invalid("template.metadata.labels", labels, "`selector` does not match template `labels`");
}

/** The rules of a job's spec that hold in the template of a cron job too. */
export function validateJobTemplate(spec: JobSpec, at: At, options: PodValidationOptions): void {
  validateCounts(spec, at);
  validateManagedBy(spec.managedBy, at);
  validateCompletionMode(spec, at);
  if (spec.podFailurePolicy) validatePodFailurePolicy(spec, at.child("podFailurePolicy"));
  if (spec.successPolicy) {
    if (spec.completionMode === "Indexed") validateSuccessPolicy(spec, at.child("successPolicy"));
    else
      at.invalid(
        "successPolicy",
        internalForm(SuccessPolicy, spec.successPolicy),
        "requires indexed completion mode",
      );
  }
  validateReplacementPolicy(spec, at);
  validatePodTemplateSpec(spec.template, at.child("template"), options);
  validateRestartPolicy(spec, at.child("template").child("spec"));
}

function validateGeneratedSelector(
  { metadata, spec }: JobBody,
  at: At,
  { prefixedLabels }: JobValidationOptions,
): void {
  if (spec.manualSelector || !spec.selector) return;
  if (!metadata.uid) at.required("metadata.uid");
  const { labels = {} } = spec.template.metadata;
  const expected = generatedLabels(metadata, prefixedLabels);
  for (const [key, value] of Object.entries(expected)) {
    const here = at.child("spec").child("template").child("metadata").child("labels").key(key);
    if (labels[key] === undefined) here.required("", `must be '${value}'`);
    else if (labels[key] !== value) here.invalid("", labels, `must be '${value}'`);
  }
  if (!selects(spec.selector, expected))
    at.invalid("spec.selector", shownSelector(spec.selector), "`selector` not auto-generated");
}

/** What is wrong with a selector that cannot be read is said elsewhere. */
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

function validateCounts(spec: JobSpec, at: At): void {
  validateNonnegative(
    spec,
    at,
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  );
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    at.required("backoffLimitPerIndex", "when maxFailedIndexes is specified");
}

function validateManagedBy(managedBy: string | undefined, at: At): void {
  if (managedBy === undefined) return;
  for (const { type, value, detail } of isDomainPrefixedPath(managedBy)) {
    if (type === "Required") at.required("managedBy");
    else at.invalid("managedBy", value, detail);
  }
  if (new TextEncoder().encode(managedBy).length > maxManagedByLength)
    at.tooLong("managedBy", maxManagedByLength);
}

function validateCompletionMode(spec: JobSpec, at: At): void {
  const { completionMode, backoffLimitPerIndex, maxFailedIndexes: failed } = spec;
  if (completionMode === "Indexed") {
    validateIndexed(spec, at);
    return;
  }
  if (completionMode !== undefined && completionMode !== "NonIndexed") {
    at.notSupported("completionMode", completionMode, ["NonIndexed", "Indexed"]);
    return;
  }
  if (backoffLimitPerIndex !== undefined)
    at.invalid("backoffLimitPerIndex", backoffLimitPerIndex, "requires indexed completion mode");
  if (failed !== undefined)
    at.invalid("maxFailedIndexes", failed, "requires indexed completion mode");
}

function validateIndexed(spec: JobSpec, at: At): void {
  const { completions, parallelism = 0, maxFailedIndexes: failed = 0 } = spec;
  if (completions === undefined) at.required("completions", "when completion mode is Indexed");
  if (parallelism > maxParallelism)
    at.invalid(
      "parallelism",
      parallelism,
      `must be less than or equal to ${maxParallelism} when completion mode is Indexed`,
    );
  if (completions !== undefined && spec.maxFailedIndexes !== undefined && failed > completions)
    at.invalid("maxFailedIndexes", failed, "must be less than or equal to completions");
  if (failed > maxFailedIndexes)
    at.invalid("maxFailedIndexes", failed, `must be less than or equal to ${maxFailedIndexes}`);
  if ((completions ?? 0) > manyCompletions && spec.backoffLimitPerIndex !== undefined)
    validateMany(spec, at);
}

/** The rules of an indexed job with so many indexes that its status might grow too large. */
function validateMany({ parallelism = 0, maxFailedIndexes: failed }: JobSpec, at: At): void {
  const why = `when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (failed === undefined)
    at.required(
      "maxFailedIndexes",
      `must be specified when completions is above ${manyCompletions}`,
    );
  if (parallelism > maxParallelismOfMany)
    at.invalid(
      "parallelism",
      parallelism,
      `must be less than or equal to ${maxParallelismOfMany} ${why}`,
    );
  if (failed !== undefined && failed > maxFailedIndexesOfMany)
    at.invalid(
      "maxFailedIndexes",
      failed,
      `must be less than or equal to ${maxFailedIndexesOfMany} ${why}`,
    );
}

function validateReplacementPolicy(
  { podReplacementPolicy, podFailurePolicy }: JobSpec,
  at: At,
): void {
  const values = podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  if (podReplacementPolicy !== undefined && !values.includes(podReplacementPolicy))
    at.notSupported("podReplacementPolicy", podReplacementPolicy, values);
}

function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, at: At): void {
  const { restartPolicy } = template.spec;
  if (!restartPolicy || restartPolicy === "Always")
    at.required("restartPolicy", 'valid values: "OnFailure", "Never"');
  else if (restartPolicy !== "OnFailure" && restartPolicy !== "Never")
    at.notSupported("restartPolicy", restartPolicy, ["OnFailure", "Never"]);
  else if (podFailurePolicy && restartPolicy !== "Never")
    at.invalid(
      "restartPolicy",
      restartPolicy,
      'only "Never" is supported when podFailurePolicy is specified',
    );
}
