import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { indexAnnotation } from "./completion-index.ts";
import { trackingFinalizer } from "./tracking-finalizer.ts";

/** A job for tables of cases. */
export const jobOf = (spec: object = {}, status: object = {}, metadata: object = {}): Job =>
  ({
    metadata: { name: "j", namespace: "ns", uid: "job", ...metadata },
    spec: {
      parallelism: 2,
      backoffLimit: 6,
      template: { metadata: { labels: { app: "j" } }, spec: { restartPolicy: "Never" } },
      ...spec,
    },
    status,
  }) as unknown as Job;

export interface PodInput {
  readonly phase?: string;
  readonly index?: number | string;
  readonly isUntracked?: boolean;
  readonly isGoing?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: object;
  readonly spec?: object;
  readonly created?: string;
}

/** A pod for tables of cases, whose name is its uid. */
export function podOf(uid: string, input: PodInput = {}): Pod {
  const { phase = "Running", index, isUntracked, isGoing, annotations, status, spec } = input;
  return {
    metadata: {
      name: uid,
      namespace: "ns",
      uid,
      creationTimestamp: input.created ?? "2026-01-01T00:00:00Z",
      annotations: {
        ...(index !== undefined && { [indexAnnotation]: `${index}` }),
        ...annotations,
      },
      ...(!isUntracked && { finalizers: [trackingFinalizer] }),
      ...(isGoing && { deletionTimestamp: "2026-01-01T00:01:00Z" }),
    },
    spec: { nodeName: "n", containers: [], ...spec },
    status: { phase, ...status },
  } as unknown as Pod;
}
