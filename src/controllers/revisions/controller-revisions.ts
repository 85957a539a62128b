import type { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/pod-template.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";

/** The label of pods and revisions that says which revision a pod is made from. */
export const revisionLabel = "controller-revision-hash";

/** What a revision holds of a template: a strategic merge patch that restores it, with sorted members. */
export function templatePatch(template: PodTemplateSpec): Readonly<Record<string, unknown>> {
  return sorted({ spec: { template: { ...template, $patch: "replace" } } }) as never;
}

/** Revisions, the oldest first. */
export const byRevision = (a: ControllerRevision, b: ControllerRevision): number =>
  a.revision - b.revision ||
  (timeOf(a.metadata.creationTimestamp) ?? 0) - (timeOf(b.metadata.creationTimestamp) ?? 0) ||
  ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);

/** The number of the revision that follows all others; the first is 1. */
export const nextRevision = (revisions: readonly ControllerRevision[]): number =>
  Math.max(0, ...revisions.map(({ revision }) => revision)) + 1;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  return Object.fromEntries(sortedKeys(value).map((key) => [key, sorted(value[key])]));
}
