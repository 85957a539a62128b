import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { selectorQuery } from "../selector-text.ts";
import { timeText } from "../time-text.ts";
import { conditionLines } from "./condition-lines.ts";
import { type OwnReplicaSets, ownReplicaSets } from "./own-replica-sets.ts";

export const describeDeployment = objectDescriber(
  describedKinds.deployment,
  async (d, deployment, context) => {
    const { metadata, spec, status } = deployment;
    const events = await context.events(deployment);
    const replicaSets = await ownReplicaSets(context, deployment).catch(() => noReplicaSets);
    const selector = selectorQuery(spec.selector);
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.field("CreationTimestamp", timeText(metadata.creationTimestamp));
    metadataLines(d, metadata);
    d.field("Selector", selector);
    const counts = [
      `${spec.replicas ?? 0} desired`,
      `${status.updatedReplicas ?? 0} updated`,
      `${status.replicas ?? 0} total`,
      `${status.availableReplicas ?? 0} available`,
      `${status.unavailableReplicas ?? 0} unavailable`,
    ];
    d.field("Replicas", counts.join(" | "));
    d.field("StrategyType", spec.strategy?.type ?? "");
    d.field("MinReadySeconds", spec.minReadySeconds ?? 0);
    const { rollingUpdate } = spec.strategy ?? {};
    if (rollingUpdate) {
      const { maxUnavailable = "<nil>", maxSurge = "<nil>" } = rollingUpdate;
      d.field("RollingUpdateStrategy", `${maxUnavailable} max unavailable, ${maxSurge} max surge`);
    }
    podTemplateLines(d, spec.template);
    conditionLines(d, status.conditions);
    replicaSetLines(d, replicaSets);
    eventLines(d, events, context.clock);
  },
);

const noReplicaSets: OwnReplicaSets = { old: [], current: undefined };

function replicaSetLines(d: Description, { old, current }: OwnReplicaSets): void {
  if (old.length === 0 && !current) return;
  d.field("OldReplicaSets", replicaSetsText(old));
  d.field("NewReplicaSet", replicaSetsText(current ? [current] : []));
}

const replicaSetsText = (replicaSets: OwnReplicaSets["old"]): string =>
  replicaSets
    .map(
      ({ metadata, spec, status }) =>
        `${metadata.name} (${status.replicas ?? 0}/${spec.replicas ?? 0} replicas created)`,
    )
    .join(", ") || "<none>";
