import type { Draft } from "../../../schema/language/struct.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { JobSpec } from "./job-spec.ts";

const prefix = "batch.kubernetes.io/";
const uidLabel = "controller-uid";
const nameLabel = "job-name";

/** The labels by which the pods of a job are known. */
export const generatedLabels = (
  { uid = "", name = "" }: ObjectMeta,
  prefixed: boolean,
): Readonly<Record<string, string>> => ({
  [uidLabel]: uid,
  [nameLabel]: name,
  ...(prefixed && { [`${prefix}${uidLabel}`]: uid, [`${prefix}${nameLabel}`]: name }),
});

/** Whether a template has the labels with a prefix: jobs from before 1.27 have none. */
export const hasPrefixedLabels = ({ template }: JobSpec): boolean =>
  [uidLabel, nameLabel].every((label) =>
    Object.hasOwn(template.metadata.labels ?? {}, `${prefix}${label}`),
  );

interface DraftJob {
  readonly metadata: Draft<ObjectMeta>;
  readonly spec: Draft<JobSpec>;
}

/**
 * Adds the selector of a job's pods, and the labels that it selects. What the client has written
 * stays, for validation to see.
 */
export function generateSelector({ metadata, spec }: DraftJob): void {
  const template = spec.template.metadata;
  const { uid = "" } = metadata;
  const labels = inOrder({ ...generatedLabels(metadata, true), ...template.labels });
  // A job that has taken over its template's labels gets these too: upstream has but one map.
  if (template.labels && metadata.labels === template.labels) metadata.labels = labels;
  template.labels = labels;
  spec.selector = {
    ...spec.selector,
    matchLabels: { [`${prefix}${uidLabel}`]: uid, ...spec.selector?.matchLabels },
  };
}

const inOrder = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(sortedKeys(labels).map((key) => [key, labels[key] ?? ""]));

/** A job without labels has those of its template. */
export function takeOverLabels({ metadata, spec }: DraftJob): void {
  const { labels } = spec.template.metadata;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}
