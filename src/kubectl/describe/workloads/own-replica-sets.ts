import type { Deployment } from "../../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../../api/apps/v1/replica-set.ts";
import type { PodTemplateSpec } from "../../../api/core/v1/pod/pod-template.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import { selectorQuery } from "../selector-text.ts";

/** The replica sets of a deployment, the oldest first. */
export interface OwnReplicaSets {
  readonly old: readonly ReplicaSet[];
  /** The oldest one with the template of the deployment. */
  readonly current: ReplicaSet | undefined;
}

/** Requests the replica sets of a deployment. */
export async function ownReplicaSets(
  context: DescribeContext,
  { metadata, spec }: Deployment,
): Promise<OwnReplicaSets> {
  const { namespace = "", uid } = metadata;
  const labelSelector = selectorQuery(spec.selector);
  const found = await context.list(describedKinds.replicaSet, namespace, { labelSelector });
  const own = found
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid),
    )
    .sort(compareAge);
  const template = comparable(spec.template);
  const current = own.find((one) => comparable(one.spec.template) === template);
  return { old: own.filter((one) => one !== current), current };
}

function compareAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const [first, second] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

/** A template in a form that is equal for equal templates; the hash that the controller adds does not count. */
function comparable(template: PodTemplateSpec | undefined): string {
  const { labels, ...metadata } = template?.metadata ?? {};
  const { "pod-template-hash": _, ...own } = labels ?? {};
  return stringifyJson(plain({ ...template, metadata: { ...metadata, labels: own } }));
}

/** A value with its members in order, and without what is empty: nil and empty are the same. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const map = value as Readonly<Record<string, unknown>>;
  const members = sortedKeys(map)
    .map((name) => [name, plain(map[name])] as const)
    .filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(members);
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) ? value.length === 0 : false) ||
  (typeof value === "object" && value.constructor === Object && Object.keys(value).length === 0);
