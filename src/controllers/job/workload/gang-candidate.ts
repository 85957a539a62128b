import type { Job } from "../../../api/batch/v1/job.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";

/** Whether the pods of a job are to be scheduled together: it is indexed, and all of its pods run at the same time. */
export function isGangCandidate({ spec }: Job): boolean {
  const { parallelism = 1, completions, completionMode, template } = spec;
  return (
    parallelism > 1 &&
    completionMode === "Indexed" &&
    completions === parallelism &&
    template.spec.schedulingGroup === undefined
  );
}

/** Whether a job has never run: one that ran before the feature was on keeps being scheduled pod by pod. */
export const isNewJob = ({ status }: Job, pods: readonly Pod[]): boolean =>
  pods.length === 0 &&
  status.startTime === undefined &&
  !status.succeeded &&
  !status.failed &&
  !status.conditions?.some(({ type }) => type === "Suspended");
