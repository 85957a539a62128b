import type { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";

/** How many pods of a controller are in which phase. */
export async function podCountsText(
  context: DescribeContext,
  { namespace = "", uid }: ObjectMeta,
  labelSelector: string,
): Promise<string> {
  const pods = await context.list(describedKinds.pod, namespace, { labelSelector });
  const own = pods.filter(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid),
  );
  const count = (phase: string): number =>
    own.filter(({ status }) => status.phase === phase).length;
  return `${count("Running")} Running / ${count("Pending")} Waiting / ${count("Succeeded")} Succeeded / ${count("Failed")} Failed`;
}
