import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { listLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { timeText } from "../time-text.ts";
import { claimLines } from "./claim-lines.ts";

export const describePersistentVolumeClaim = objectDescriber(
  describedKinds.persistentVolumeClaim,
  async (d, claim, context) => {
    const pods = await podsOf(context, claim);
    const events = await context.events(claim);
    claimLines(d, claim, context.clock);
    listLines(d, "Used By", { lines: pods.toSorted(compareUtf8) });
    conditionLines(d, claim);
    eventLines(d, events, context.clock);
  },
);

/** The names of pods that mount a claim, and of those that own it. */
async function podsOf(
  context: DescribeContext,
  { metadata }: PersistentVolumeClaim,
): Promise<readonly string[]> {
  const { name, namespace = "", ownerReferences = [] } = metadata;
  const pods = await context.list(describedKinds.pod, namespace);
  // A pod counts for each of its volumes.
  const users: Pod[] = pods.flatMap((pod) =>
    (pod.spec.volumes ?? [])
      .filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name)
      .map(() => pod),
  );
  for (const { kind, uid } of ownerReferences) {
    const owner = pods.find((pod) => pod.metadata.uid === uid);
    if (kind === "Pod" && owner && !users.includes(owner)) users.push(owner);
  }
  return users.map((pod) => pod.metadata.name ?? "");
}

function conditionLines(d: Description, { status }: PersistentVolumeClaim): void {
  const { conditions = [] } = status;
  if (conditions.length === 0) return;
  d.line("Conditions:");
  d.row(["Type", "Status", "LastProbeTime", "LastTransitionTime", "Reason", "Message"], 1);
  d.row(["----", "------", "-----------------", "------------------", "------", "-------"], 1);
  for (const { type, status, lastProbeTime, lastTransitionTime, reason, message } of conditions)
    d.row(
      [
        `${type ?? ""} `,
        `${status ?? ""} `,
        `${timeText(lastProbeTime)} `,
        `${timeText(lastTransitionTime)} `,
        `${reason ?? ""} `,
        message ?? "",
      ],
      1,
    );
}
