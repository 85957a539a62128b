import type { Job } from "../../api/batch/v1/job.ts";
import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podFromTemplate } from "../pod-from-template.ts";
import {
  failureCount,
  failureCountAnnotation,
  ignoredFailureCount,
  ignoredFailureCountAnnotation,
  indexAnnotation,
} from "./completion-index.ts";
import { limitsEachIndex } from "./job-facts.ts";
import { matchFailurePolicy } from "./pod-failure-policy.ts";
import { trackingFinalizer } from "./tracking-finalizer.ts";

/** A pod of a job that the controller is going to count. */
export function trackedPod(job: Job): ReturnType<typeof podFromTemplate> {
  const pod = podFromTemplate(job.spec.template, job);
  const { finalizers = [] } = pod.metadata;
  if (finalizers.includes(trackingFinalizer)) return pod;
  return { ...pod, metadata: { ...pod.metadata, finalizers: [...finalizers, trackingFinalizer] } };
}

/** The pod of an index, which takes the place of a failed one if `replaced` is given. */
export function indexedPod(
  job: Job,
  index: number,
  replaced: Pod | undefined,
): ReturnType<typeof podFromTemplate> {
  const { metadata, spec, ...rest } = trackedPod(job);
  const { name = "" } = job.metadata;
  const { containers, initContainers } = spec;
  return {
    ...rest,
    metadata: {
      ...metadata,
      generateName: namePrefix(name, index),
      labels: { ...metadata.labels, [indexAnnotation]: `${index}` },
      annotations: {
        ...metadata.annotations,
        [indexAnnotation]: `${index}`,
        ...(limitsEachIndex(job) && failureCounts(job, replaced)),
      },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      ...(initContainers && { initContainers: initContainers.map(withIndexVariable) }),
      containers: containers.map(withIndexVariable),
    },
  };
}

/** The server adds five letters to a prefix of so many. */
const longestPrefix = 58;

function namePrefix(name: string, index: number): string {
  const end = `-${index}-`;
  return `${name.slice(0, longestPrefix - end.length)}${end}`;
}

const indexVariable = "JOB_COMPLETION_INDEX";

function withIndexVariable<C extends Container>(container: C): C {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexAnnotation}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}

function failureCounts(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (!replaced) return { [failureCountAnnotation]: "0" };
  const { isCounted } = matchFailurePolicy(job.spec.podFailurePolicy, replaced);
  const counted = failureCount(replaced) + (isCounted ? 1 : 0);
  const ignored = ignoredFailureCount(replaced) + (isCounted ? 0 : 1);
  return {
    [failureCountAnnotation]: `${counted}`,
    ...(ignored > 0 && { [ignoredFailureCountAnnotation]: `${ignored}` }),
  };
}
