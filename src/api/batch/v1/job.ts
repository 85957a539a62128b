import { value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { nameWarnings } from "../../apps/v1/template-warnings.ts";
import { dropDisabledPodFields } from "../../core/v1/pod/pod-disabled-fields.ts";
import { podValidationOptions } from "../../core/v1/pod/validation/pod-ratcheting.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { hasInvalidLabelValue } from "../../meta/v1/label-selector.ts";
import { jobColumns } from "./job-columns.ts";
import { generateSelector, hasPrefixedLabels, takeOverLabels } from "./job-selector.ts";
import { JobSpec } from "./job-spec.ts";
import { JobStatus } from "./job-status.ts";
import { validateJobStatusUpdate } from "./job-status-validation.ts";
import { validateJobSpecUpdate } from "./job-update.ts";
import { validateJob } from "./job-validation.ts";
import { jobSpecWarnings } from "./job-warnings.ts";

export const Job = kind({
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  categories: ["all"],
  scope: "Namespaced",
  doc: "Runs pods until enough of them have succeeded.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, JobSpec).doc("What the job should be."),
    status: value(3, JobStatus).doc("What the job is at present."),
  },
  subresources: ["status"],
  defaults({ metadata, spec }) {
    if (spec.parallelism === undefined) spec.completions ??= 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
    takeOverLabels({ metadata, spec });
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
    spec.manualSelector ??= false;
  },
  rules: [(job, at) => validateJob(job, at, { pod: podValidationOptions(), prefixedLabels: true })],
  firstUpdateRules(job, old, { at, metadata }) {
    metadata();
    const prefixedLabels = hasPrefixedLabels(old.spec);
    validateJob(job, at, { pod: updateOptions(old.spec), prefixedLabels });
  },
  updateRules({ spec }, old, { at }) {
    validateJobSpecUpdate(spec, old, { at: at.child("spec"), options: updateOptions(old.spec) });
  },
  statusRules(job, old, { at }) {
    validateJobStatusUpdate(job, old, at.child("status"));
  },
  selectableFields: { "status.successful": ({ status }) => `${status.succeeded ?? 0}` },
  unknownField: (field) => `field label ${quote(field)} not supported for Job`,
  strategy: {
    initialStatus: {},
    generation: { spec: JobSpec },
    prepare(job, old, write) {
      const { spec } = job;
      if (!old && !spec.manualSelector) generateSelector(job);
      dropDisabledPodFields(spec.template.spec, old?.spec.template.spec, write);
    },
    dependents: "orphan",
    dependentsWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    // Upstream fills in defaults whenever it reads, and so sees the labels that were made.
    canonicalise: takeOverLabels,
    warnings({ metadata, spec }, old) {
      if (old && metadata.generation === old.metadata.generation) return [];
      const name = old ? [] : nameWarnings(metadata);
      return [...name, ...jobSpecWarnings(spec, At.root().child("spec"))];
    },
  },
  columns: jobColumns,
});
export interface Job extends ObjectOf<typeof Job> {}

function updateOptions({ template, selector }: JobSpec): PodValidationOptions {
  const options = podValidationOptions(template);
  return {
    ...options,
    allowInvalidLabelValueInSelector:
      options.allowInvalidLabelValueInSelector || hasInvalidLabelValue(selector),
  };
}
