import type { Job } from "../../../api/batch/v1/job.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { PodGroup } from "../../../api/scheduling/v1alpha2/pod-group.ts";
import { Workload } from "../../../api/scheduling/v1alpha2/workload.ts";
import { formatKey, keyOf } from "../../../client/resource-kind.ts";
import {
  isControlledBy,
  withController,
  withOwner,
} from "../../../controller-runtime/objects/owner-references.ts";
import type {
  KindIndex,
  ReconcileContext,
} from "../../../controller-runtime/reconcile/controller-definition.ts";
import { isGangCandidate, isNewJob } from "./gang-candidate.ts";
import { groupName, groupTemplateName, workloadName } from "./gang-names.ts";

const byJob = "workloadByJobName";
const byWorkload = "podGroupByWorkloadName";

/** Workloads by the job that they name, and groups by their workload. */
export const workloadIndexes: readonly KindIndex[] = [
  {
    kind: Workload,
    name: byJob,
    valuesOf(object) {
      const { metadata, spec } = object as Workload;
      const { apiGroup, kind, name } = spec.controllerRef ?? {};
      return apiGroup === "batch" && kind === "Job" ? [`${metadata.namespace}/${name}`] : [];
    },
  },
  {
    kind: PodGroup,
    name: byWorkload,
    valuesOf(object) {
      const { metadata, spec } = object as PodGroup;
      const name = spec.podGroupTemplateRef?.workload?.workloadName;
      return name ? [`${metadata.namespace}/${name}`] : [];
    },
  },
];

/**
 * The group of the pods of a job that are to be scheduled together, which is created if the job is new; undefined
 * where they are scheduled one by one: also if others have made workloads or groups for the job.
 */
export async function jobPodGroup(
  ctx: ReconcileContext,
  job: Job,
  pods: readonly Pod[],
): Promise<PodGroup | undefined> {
  if (!isGangCandidate(job)) return undefined;
  const workload = await findWorkload(ctx, job, pods);
  if (!workload) return undefined;
  const groups = await ctx.cache.byIndex(PodGroup, byWorkload, formatKey(keyOf(workload)));
  if (groups.length === 0) return createGroup(ctx, job, workload);
  const [group] = groups;
  return groups.length === 1 && group && isControlledBy(group, job) ? group : undefined;
}

async function findWorkload(
  ctx: ReconcileContext,
  job: Job,
  pods: readonly Pod[],
): Promise<Workload | undefined> {
  const workloads = await ctx.cache.byIndex(Workload, byJob, formatKey(keyOf(job)));
  if (workloads.length === 0) return isNewJob(job, pods) ? createWorkload(ctx, job) : undefined;
  const [workload] = workloads;
  if (workloads.length > 1 || !workload) {
    const found = { job: formatKey(keyOf(job)), workloads: workloads.length };
    ctx.log.warn("several workloads name one job: its pods are scheduled one by one", found);
    return undefined;
  }
  const isUsable = workload.spec.podGroupTemplates?.length === 1;
  return isUsable && isControlledBy(workload, job) ? workload : undefined;
}

async function createWorkload(
  { client, events, signal }: ReconcileContext,
  job: Job,
): Promise<Workload> {
  const { name = "", namespace, uid = "" } = job.metadata;
  const created = await client.create(
    Workload,
    withController(
      {
        metadata: { name: workloadName(name, uid), namespace },
        spec: {
          controllerRef: { apiGroup: "batch", kind: "Job", name },
          podGroupTemplates: [
            {
              name: groupTemplateName(name),
              schedulingPolicy: { gang: { minCount: job.spec.parallelism ?? 1 } },
            },
          ],
        },
      },
      job,
    ),
    { signal },
  );
  const note = `Created Workload ${created.metadata.name} for Job ${name}`;
  events.record(job, { type: "Normal", reason: "WorkloadCreated", note });
  return created;
}

function createGroup(
  { client, signal }: ReconcileContext,
  job: Job,
  workload: Workload,
): Promise<PodGroup> {
  const [template] = workload.spec.podGroupTemplates ?? [];
  const { name = "", namespace } = workload.metadata;
  const { name: templateName = "", schedulingPolicy = {} } = template ?? {};
  const group = withController(
    {
      metadata: { name: groupName(name, templateName), namespace },
      spec: {
        podGroupTemplateRef: {
          workload: { workloadName: name, podGroupTemplateName: templateName },
        },
        schedulingPolicy,
      },
    },
    job,
  );
  return client.create(PodGroup, withOwner(group, workload), { signal });
}
