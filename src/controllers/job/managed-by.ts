import type { Job } from "../../api/batch/v1/job.ts";

/** The controller that runs a job instead of this one; undefined if there is none. */
export function otherManager({ spec }: Job): string | undefined {
  const { managedBy } = spec;
  return managedBy === "kubernetes.io/job-controller" ? undefined : managedBy;
}
