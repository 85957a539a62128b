import type { At } from "../../../schema/language/report.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import type { Container } from "../../core/v1/container/container.ts";
import { PodSpec } from "../../core/v1/pod/pod-spec.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import type { Affinity } from "../../core/v1/scheduling/affinity.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { sameSelector, shownSelector } from "../../meta/v1/label-selector.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { PodFailurePolicy, SuccessPolicy } from "./job-policies.ts";
import type { JobSpec } from "./job-spec.ts";
import { holds, type JobStatus } from "./job-status.ts";
import { validateJobSpec } from "./job-validation.ts";

interface JobBody {
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/** The rules of an update of a job's spec. */
export function validateJobSpecUpdate(
  spec: JobSpec,
  old: JobBody,
  { at, options }: { readonly at: At; readonly options: PodValidationOptions },
): void {
  const same = (field: "completionMode" | "backoffLimitPerIndex" | "managedBy") => {
    if (spec[field] !== old.spec[field]) at.invalid(field, spec[field], immutable);
  };
  const samePolicy = <T>(field: "podFailurePolicy" | "successPolicy", struct: Struct<T>) => {
    if (!sameOptional(struct, spec[field] as T | undefined, old.spec[field] as T | undefined))
      at.invalid(field, internalForm(struct, spec[field] as T | undefined), immutable);
  };
  validateJobSpec(spec, at, options);
  validateCompletions(spec, old.spec, at);
  if (!sameSelector(spec.selector, old.spec.selector))
    at.invalid("selector", shownSelector(spec.selector), immutable);
  validateTemplate(spec.template, old, at);
  same("completionMode");
  samePolicy("podFailurePolicy", PodFailurePolicy);
  same("backoffLimitPerIndex");
  same("managedBy");
  samePolicy("successPolicy", SuccessPolicy);
}

const immutable = "field is immutable";

function sameOptional<T>(struct: Struct<T>, a: T | undefined, b: T | undefined): boolean {
  return a === undefined || b === undefined ? a === b : semanticEqual(struct, a, b);
}

/** An indexed job may grow and shrink, as long as all of its indexes run at once. */
function validateCompletions(
  { completions, parallelism, completionMode }: JobSpec,
  old: JobSpec,
  at: At,
): void {
  if (completions === old.completions) return;
  if (completionMode !== "Indexed") at.invalid("completions", completions, immutable);
  else if (completions !== undefined && completions !== parallelism)
    at.invalid("completions", completions, "can only be modified in tandem with spec.parallelism");
}

/** A held job without pods may be given other places and resources for them; else nothing changes. */
function validateTemplate(template: PodTemplateSpec, old: JobBody, at: At): void {
  const before = old.spec.template;
  if (!isAtRest(old)) {
    if (!semanticEqual(PodTemplateSpec, template, before))
      at.invalid("template", internalForm(PodTemplateSpec, template), immutable);
  } else if (!semanticEqual(PodSpec, template.spec, withPlacesOf(template.spec, before.spec)))
    at.invalid("template.spec", internalForm(PodSpec, template.spec), immutable);
}

const isAtRest = ({ spec, status }: JobBody): boolean =>
  spec.suspend === true &&
  (!status.startTime || holds(status, "Suspended")) &&
  (status.active ?? 0) === 0;

/** The former spec with what may change taken from the new one. */
function withPlacesOf(now: PodSpec, before: PodSpec): PodSpec {
  return {
    ...before,
    affinity: affinityOf(now.affinity, before.affinity),
    nodeSelector: now.nodeSelector,
    tolerations: now.tolerations,
    schedulingGates: now.schedulingGates,
    containers: withResourcesOf(now.containers, before.containers),
    initContainers: withResourcesOf(now.initContainers, before.initContainers),
  };
}

/** Only what is said of nodes may change, and come and go. */
function affinityOf(now: Affinity | undefined, before: Affinity | undefined): Affinity | undefined {
  const rest = { podAffinity: before?.podAffinity, podAntiAffinity: before?.podAntiAffinity };
  if (now) return { ...rest, nodeAffinity: now.nodeAffinity };
  return rest.podAffinity || rest.podAntiAffinity ? rest : undefined;
}

function withResourcesOf<C extends readonly Container[] | undefined>(now: C, before: C): C {
  if (!now || !before || now.length !== before.length) return before;
  return before.map((container, i) => {
    const other = now[i];
    return other?.name === container.name
      ? { ...container, resources: other.resources }
      : container;
  }) as unknown as C;
}
