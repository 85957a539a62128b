import type { At } from "../../../schema/language/report.ts";
import { podTemplateWarnings } from "../../core/v1/pod/validation/pod-warnings.ts";
import type { JobSpec } from "./job-spec.ts";

const manyCompletions = 100_000;
const manyAtOnce = 10_000;

/** What to tell the client of a job, or of what jobs are made from. */
export function jobSpecWarnings(spec: JobSpec, at: At): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const isLarge =
    completionMode === "Indexed" && completions > manyCompletions && parallelism > manyAtOnce;
  const large = `${at.path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`;
  return [...(isLarge ? [large] : []), ...podTemplateWarnings(template, at.child("template"))];
}
