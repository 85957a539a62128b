import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { MetricSpec, MetricStatus } from "../../api/autoscaling/v2/metric.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Scale } from "../../client/subresource-kinds.ts";
import { parseQuantity, quantityAsNumber } from "../../schema/values/quantity.ts";
import type { AutoscalerContext } from "./autoscaler-context.ts";
import type { AutoscalerStatus } from "./autoscaler-status.ts";
import { MetricError, type MetricProposal, metricProposal } from "./metric-proposal.ts";
import type { Tolerances } from "./proposed-replicas.ts";
import { targetPods } from "./target-pods.ts";

/** What all metrics together ask for; no number where they tell too little to scale by. */
export interface DesiredReplicas {
  readonly replicas?: number | undefined;
  /** The metric that asks for most. */
  readonly name: string;
  readonly statuses: readonly MetricStatus[] | undefined;
  readonly error?: Error | undefined;
}

export interface DesiredInput {
  readonly scale: Scale;
  readonly status: AutoscalerStatus;
  readonly ctx: AutoscalerContext;
}

/** Computes what the metrics of an autoscaler ask for, and sets the condition ScalingActive. */
export async function desiredReplicas(
  autoscaler: HorizontalPodAutoscaler,
  { scale, status, ctx }: DesiredInput,
): Promise<DesiredReplicas> {
  const found = targetPods(autoscaler, scale.status?.selector ?? "", ctx);
  if ("reason" in found) {
    const { event, reason, message, error } = found;
    ctx.events.record(autoscaler, { type: "Warning", reason: event, note: error });
    status.set("ScalingActive", "False", { reason, message });
    return { name: "", statuses: undefined, error: new Error(error) };
  }
  const { metrics: specs = [] } = autoscaler.spec;
  const outcomes: (MetricProposal | MetricError)[] = [];
  for (const spec of specs)
    outcomes.push(await outcomeOf(spec, autoscaler, { pods: found.pods, scale, ctx }));
  // Upstream shows a metric that tells nothing as one without a type.
  const statuses = outcomes.map((one) => (one instanceof MetricError ? { type: "" } : one.status));
  const { most, error, first } = together(outcomes);
  const replicas = most?.replicas ?? 0;
  // The metrics that tell nothing might ask for more pods.
  if (!most || (first && replicas < (scale.spec.replicas ?? 0))) {
    const { reason, detail } = first ?? noMetrics;
    const message = `the HPA was unable to compute the replica count: ${detail}`;
    status.set("ScalingActive", "False", { reason, message });
    return { name: "", statuses, error: error ?? noMetrics };
  }
  status.set("ScalingActive", "True", {
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${most.name}`,
  });
  return { replicas, name: most.name, statuses, error };
}

/** The API server gives an autoscaler without metrics one. */
const noMetrics = new MetricError("there are no metrics", {
  reason: "InvalidMetricSourceType",
  detail: "there are no metrics",
  isSpec: true,
});

/** The proposal for most pods, and what is wrong with the others. */
function together(outcomes: readonly (MetricProposal | MetricError)[]) {
  let most: MetricProposal | undefined;
  let first: MetricError | undefined;
  let invalid = 0;
  for (const one of outcomes)
    if (one instanceof MetricError) {
      first ??= one;
      invalid++;
    } else if (!most || most.replicas === 0 || one.replicas > most.replicas) most = one;
  const counts = `${invalid} invalid out of ${outcomes.length}`;
  const text = `invalid metrics (${counts}), first error is`;
  return { most, first, error: first && new Error(text, { cause: first }) };
}

/** What one metric asks for, or why it tells nothing; both are counted, and the latter is an event. */
async function outcomeOf(
  spec: MetricSpec,
  autoscaler: HorizontalPodAutoscaler,
  { pods, scale, ctx }: Pick<DesiredInput, "scale" | "ctx"> & { readonly pods: readonly Pod[] },
): Promise<MetricProposal | MetricError> {
  const { clock, ticks, settings, events, metrics, signal } = ctx;
  const { namespace = "" } = autoscaler.metadata;
  const begun = ticks();
  try {
    const proposal = await metricProposal(spec, {
      ...settings,
      sources: ctx.sources,
      tolerances: tolerancesOf(autoscaler, settings.tolerance),
      pods,
      selected: { namespace, labelSelector: scale.status?.selector ?? "" },
      specReplicas: scale.spec.replicas ?? 0,
      statusReplicas: scale.status?.replicas ?? 0,
      now: clock.now(),
    });
    const change = proposal.replicas - (autoscaler.status.currentReplicas ?? 0);
    const action = change > 0 ? "scale_up" : change < 0 ? "scale_down" : "none";
    metrics.computed(spec.type, { action, fault: "none", ms: ticks() - begun });
    return proposal;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof MetricError)) throw error;
    const { reason, detail: note, isSpec } = error;
    events.record(autoscaler, { type: "Warning", reason, note });
    const fault = isSpec ? "spec" : "internal";
    metrics.computed(spec.type, { action: "none", fault, ms: ticks() - begun });
    return error;
  }
}

/** The tolerances of an autoscaler: its own, or that of the controller. */
function tolerancesOf(
  { spec: { behavior } }: HorizontalPodAutoscaler,
  tolerance: number,
): Tolerances {
  const of = (own: string | undefined): number =>
    own === undefined ? tolerance : quantityAsNumber(parseQuantity(own));
  return {
    scaleDown: of(behavior?.scaleDown?.tolerance),
    scaleUp: of(behavior?.scaleUp?.tolerance),
  };
}
