import type { HorizontalPodAutoscaler as OldAutoscaler } from "../../../api/autoscaling/v1/horizontal-pod-autoscaler.ts";
import type { HorizontalPodAutoscaler } from "../../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { HPAScalingRules } from "../../../api/autoscaling/v2/horizontal-pod-autoscaler-spec.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { versionedDescriber } from "../object-describer.ts";
import { timeText } from "../time-text.ts";
import { metricLine } from "./metric-lines.ts";

type AnyAutoscaler = HorizontalPodAutoscaler | OldAutoscaler;

export const describeHorizontalPodAutoscaler = versionedDescriber<AnyAutoscaler>(
  [describedKinds.horizontalPodAutoscaler, describedKinds.horizontalPodAutoscalerV1],
  async (d, autoscaler, context) => {
    const { metadata, spec } = autoscaler;
    const events = await context.events(autoscaler);
    const target = spec.scaleTargetRef;
    headLines(d, metadata, true);
    d.field("CreationTimestamp", timeText(metadata.creationTimestamp));
    d.field("Reference", `${target.kind}/${target.name}`);
    if (isOld(autoscaler)) utilizationLines(d, autoscaler);
    else metricLines(d, autoscaler);
    d.field("Min replicas", spec.minReplicas ?? "<unset>");
    d.field("Max replicas", spec.maxReplicas ?? 0);
    if (!isOld(autoscaler)) behaviorLines(d, autoscaler);
    const { currentReplicas = 0, desiredReplicas = 0 } = autoscaler.status;
    d.field(`${target.kind} pods`, `${currentReplicas} current / ${desiredReplicas} desired`);
    if (!isOld(autoscaler)) conditionLines(d, autoscaler);
    eventLines(d, events, context.clock);
  },
);

const isOld = (autoscaler: AnyAutoscaler): autoscaler is OldAutoscaler =>
  (autoscaler.apiVersion as string) === "autoscaling/v1";

function utilizationLines(d: Description, { spec, status }: OldAutoscaler): void {
  const { targetCPUUtilizationPercentage: target } = spec;
  if (target === undefined) return;
  d.field("Target CPU utilization", `${target}%`);
  d.field("Current CPU utilization", `${status.currentCPUUtilizationPercentage ?? "<unknown>"}%`);
}

function metricLines(d: Description, { spec, status }: HorizontalPodAutoscaler): void {
  d.field("Metrics", "( current / target )");
  for (const [at, metric] of (spec.metrics ?? []).entries())
    metricLine(d, metric, status.currentMetrics?.[at]);
}

function behaviorLines(d: Description, { spec }: HorizontalPodAutoscaler): void {
  const { behavior } = spec;
  if (!behavior) return;
  d.line("Behavior:");
  ruleLines(d, "Scale Up", behavior.scaleUp);
  ruleLines(d, "Scale Down", behavior.scaleDown);
}

function ruleLines(d: Description, direction: string, rules: HPAScalingRules | undefined): void {
  if (!rules) return;
  const { stabilizationWindowSeconds, policies = [], selectPolicy = "Max" } = rules;
  d.line(`${direction}:`, 1);
  if (stabilizationWindowSeconds !== undefined)
    d.line(`Stabilization Window: ${stabilizationWindowSeconds} seconds`, 2);
  if (policies.length === 0) return;
  d.line(`Select Policy: ${selectPolicy}`, 2);
  d.line("Policies:", 2);
  for (const { type, value, periodSeconds } of policies)
    d.row([`- Type: ${type}`, `Value: ${value}`, `Period: ${periodSeconds} seconds`], 3);
}

function conditionLines(d: Description, { status }: HorizontalPodAutoscaler): void {
  const { conditions = [] } = status;
  if (conditions.length === 0) return;
  d.line("Conditions:");
  d.columns(["Type", "Status", "Reason", "Message"], 1);
  for (const { type, status, reason = "", message = "" } of conditions)
    d.row([type ?? "", status ?? "", reason, message], 1);
}
