import { type At, omitted } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { validateNonnegative } from "../../apps/v1/replica-validation.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { countIndexes, firstSharedIndex } from "./index-intervals.ts";
import type { JobSpec } from "./job-spec.ts";
import { holds, isFinished, type JobStatus, UncountedTerminatedPods } from "./job-status.ts";

interface JobBody {
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/**
 * The rules of an update of a job's status. What was wrong already, and is not touched, may stay: a
 * change of the spec can make it so until a controller comes by.
 */
export function validateJobStatusUpdate({ spec, status }: JobBody, old: JobBody, at: At): void {
  const update: Update = { spec, status, old: old.status, at };
  validateNonnegative(status, at, "active", "succeeded", "failed", "ready", "terminating");
  validateUncounted(status.uncountedTerminatedPods, at.child("uncountedTerminatedPods"));
  validateCompletion(update);
  validateEnd(update);
  validateIndexes(update);
  validatePodCounts(update);
  validateCriteria(update);
  validateTransitions(update);
}

interface Update {
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly old: JobStatus;
  readonly at: At;
}

/** Whether one of these fields, or whether one of these conditions holds, is changed. */
const changes = ({ status, old }: Update, ...names: readonly string[]): boolean =>
  names.some((name) =>
    Object.hasOwn(states, name)
      ? states[name]?.(status) !== states[name]?.(old)
      : !sameValue(status[name as keyof JobStatus], old[name as keyof JobStatus]),
  );

const conditionIs = (type: string) => (status: JobStatus) => holds(status, type);
const states: Readonly<Record<string, (status: JobStatus) => boolean>> = {
  Complete: conditionIs("Complete"),
  Failed: conditionIs("Failed"),
  FailureTarget: conditionIs("FailureTarget"),
  SuccessCriteriaMet: conditionIs("SuccessCriteriaMet"),
  Finished: isFinished,
};

/** No pod is listed twice, nor without its UID. */
function validateUncounted(pods: UncountedTerminatedPods | undefined, at: At): void {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const)
    for (const [i, uid] of (pods?.[list] ?? []).entries()) {
      const here = at.child(list).index(i);
      if (uid === "") here.invalid("", uid, "must not be empty");
      else if (seen.has(uid)) here.duplicate("", uid);
      seen.add(uid);
    }
}

function validateCompletion(update: Update): void {
  const { status, at } = update;
  const { startTime, completionTime } = status;
  const isComplete = holds(status, "Complete");
  const refuse = (why: string) => at.invalid("conditions", omitted, why);
  if (isComplete && holds(status, "Failed") && changes(update, "Complete", "Failed"))
    refuse("cannot set Complete=True and Failed=true conditions");
  if (isComplete && holds(status, "FailureTarget") && changes(update, "Complete", "FailureTarget"))
    refuse("cannot set Complete=True and FailureTarget=true conditions");
  if (changes(update, "Complete", "completionTime")) {
    if (completionTime && !isComplete)
      at.invalid(
        "completionTime",
        completionTime,
        "cannot set completionTime when there is no Complete=True condition",
      );
    if (!completionTime && isComplete)
      at.required("completionTime", "completionTime is required for Complete jobs");
  }
  // Times are in UTC and to the second: their order is the one of their texts.
  if (startTime && completionTime && completionTime < startTime)
    if (changes(update, "startTime", "completionTime"))
      at.invalid("completionTime", completionTime, "must be equal to or after `startTime`");
}

function validateEnd(update: Update): void {
  const { spec, status, at } = update;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  const refuse = (why: string) => at.invalid("conditions", omitted, why);
  if (holds(status, "Failed") && !holds(status, "FailureTarget"))
    if (changes(update, "Failed", "failedIndexes"))
      refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  if (holds(status, "Complete") && !holds(status, "SuccessCriteriaMet"))
    if (changes(update, "Complete", "SuccessCriteriaMet"))
      refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  if (!isFinished(status)) return;
  if (active > 0 && changes(update, "Finished", "active"))
    at.invalid("active", active, "active>0 is invalid for finished job");
  const hadNothingToDo = spec.suspend === true && spec.completions === 0;
  if (!startTime && changes(update, "Finished", "startTime") && !hadNothingToDo)
    at.required("startTime", "startTime is required for finished job");
  if (uncounted && (uncounted.failed?.length ?? 0) + (uncounted.succeeded?.length ?? 0) > 0)
    if (changes(update, "Finished", "uncountedTerminatedPods"))
      at.invalid(
        "uncountedTerminatedPods",
        internalForm(UncountedTerminatedPods, uncounted),
        "must be empty for finished job",
      );
}

function validateIndexes(update: Update): void {
  const { spec, status, at } = update;
  const { completedIndexes = "", failedIndexes } = status;
  const { completions, backoffLimitPerIndex } = spec;
  const newCompleted = changes(update, "completedIndexes");
  const newFailed = changes(update, "failedIndexes") && failedIndexes !== undefined;
  if (newCompleted && completions !== undefined)
    validateFormat("completedIndexes", completedIndexes, { at, completions });
  if (newFailed && completions !== undefined && backoffLimitPerIndex !== undefined)
    validateFormat("failedIndexes", failedIndexes, { at, completions });
  if (newCompleted && completedIndexes !== "" && spec.completionMode !== "Indexed")
    at.invalid(
      "completedIndexes",
      completedIndexes,
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    );
  if (newFailed && backoffLimitPerIndex === undefined)
    at.invalid(
      "failedIndexes",
      failedIndexes,
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
    );
  if (failedIndexes === undefined || completions === undefined) return;
  const shared = firstSharedIndex(completedIndexes, failedIndexes, completions);
  if (shared !== undefined && changes(update, "failedIndexes", "completedIndexes"))
    at.invalid(
      "failedIndexes",
      failedIndexes,
      `failedIndexes and completedIndexes overlap at index: ${shared}`,
    );
}

function validateFormat(
  field: string,
  text: string,
  { at, completions }: { readonly at: At; readonly completions: number },
): void {
  try {
    countIndexes(text, completions);
  } catch (error) {
    const why = error instanceof Error ? error.message : `${error}`;
    at.invalid(field, text, `error parsing ${field}: ${why}`);
  }
}

function validatePodCounts(update: Update): void {
  const { status, at } = update;
  const { active = 0, ready = 0, terminating = 0 } = status;
  if (terminating > 0 && isFinished(status) && changes(update, "Finished", "terminating"))
    at.invalid("terminating", terminating, "terminating>0 is invalid for finished job");
  if (status.ready !== undefined && ready > active && changes(update, "ready", "active"))
    at.invalid("ready", ready, "cannot set more ready pods than active");
}

function validateCriteria({ spec, status, at }: Update): void {
  const refuse = (why: string) => at.invalid("conditions", omitted, why);
  const isMet = holds(status, "SuccessCriteriaMet");
  if (isMet && holds(status, "Failed"))
    refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (isMet && holds(status, "FailureTarget"))
    refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (spec.successPolicy && !isMet && holds(status, "Complete"))
    refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
}

function validateTransitions({ spec, status, old, at }: Update): void {
  const refuse = (why: string) => at.invalid("conditions", omitted, why);
  for (const type of ["Failed", "Complete", "FailureTarget"])
    if (holds(old, type) && !holds(status, type))
      refuse(`cannot disable the terminal ${type}=True condition`);
  const { failed = 0, succeeded = 0, startTime, completionTime } = status;
  if (failed < (old.failed ?? 0))
    at.invalid("failed", failed, "cannot decrease the failed counter");
  // A job that shrinks forgets what its last indexes have done.
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!mayShrink && succeeded < (old.succeeded ?? 0))
    at.invalid("succeeded", succeeded, "cannot decrease the succeeded counter");
  if (completionTime && old.completionTime && completionTime !== old.completionTime)
    at.invalid("completionTime", completionTime, "field is immutable");
  if (old.startTime && startTime !== old.startTime && !spec.suspend && !isResuming(status, old))
    at.invalid("startTime", startTime, "field is immutable for unsuspended job once set");
  const isMet = holds(status, "SuccessCriteriaMet");
  const wasMet = holds(old, "SuccessCriteriaMet");
  if (wasMet && !isMet) refuse("cannot disable the SuccessCriteriaMet=True condition");
  if (holds(old, "Complete") && !wasMet && isMet)
    refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

const isResuming = ({ conditions = [] }: JobStatus, old: JobStatus): boolean =>
  holds(old, "Suspended") &&
  conditions.some(({ type, status }) => type === "Suspended" && status === "False");
