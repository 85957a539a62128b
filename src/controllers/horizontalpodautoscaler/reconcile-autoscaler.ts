import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { MetricStatus } from "../../api/autoscaling/v2/metric.ts";
import { errorMessage } from "../../base/error-message.ts";
import { retryOnConflict } from "../../controller-runtime/objects/retry-on-conflict.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import type { AutoscalerContext } from "./autoscaler-context.ts";
import type { FaultLabel, ScaleAction } from "./autoscaler-metrics.ts";
import { AutoscalerStatus } from "./autoscaler-status.ts";
import { desiredReplicas } from "./desired-replicas.ts";
import { limitedReplicas } from "./limited-replicas.ts";
import { InvalidReferenceError, type ScaleTarget, UnknownKindError } from "./scale-target.ts";
import { initialHistory, type ScalingHistory, withScaleEvent } from "./scaling-history.ts";

/** What a reconcile found and did. */
export interface Reconciled {
  readonly history: ScalingHistory | undefined;
  readonly action: ScaleAction;
  /** The error to log; the work is repeated nevertheless. */
  readonly error?: Error | undefined;
  readonly fault: FaultLabel;
}

/** An autoscaler while it is reconciled. */
interface Work {
  readonly autoscaler: HorizontalPodAutoscaler;
  /** Its target, as errors name it. */
  readonly reference: string;
  readonly status: AutoscalerStatus;
  readonly ctx: AutoscalerContext;
}

/** Scales the target of an autoscaler by what its metrics say, and writes its status. */
export async function reconcileAutoscaler(
  autoscaler: HorizontalPodAutoscaler,
  known: ScalingHistory | undefined,
  ctx: AutoscalerContext,
): Promise<Reconciled> {
  const { scaleTargetRef } = autoscaler.spec;
  const { namespace = "", name = "" } = autoscaler.metadata;
  const reference = `${scaleTargetRef.kind}/${namespace}/${scaleTargetRef.name}`;
  const status = new AutoscalerStatus(autoscaler, ctx);
  const work: Work = { autoscaler, reference, status, ctx };
  let target: ScaleTarget;
  try {
    target = await ctx.target(autoscaler);
  } catch (error) {
    return withoutScale(work, error, known);
  }
  status.set("AbleToScale", "True", {
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  });
  const current = target.scale.spec.replicas ?? 0;
  const before = known ?? initialHistory(current, ctx.clock.now());
  const decision = await decide(work, target, before);
  const { desired, statuses, history } = decision;
  if (desired === undefined) {
    status.counts({ current, desired: autoscaler.status.desiredReplicas, metrics: statuses });
    await status.tryWrite();
    const note = errorMessage(decision.error);
    record(work, "FailedComputeMetricsReplicas", note);
    const error = `failed to compute desired number of replicas based on listed metrics for ${reference}`;
    return failed(new Error(error, { cause: decision.error }), history);
  }
  const scales = desired !== current;
  if (scales) {
    const error = await rescaled(work, target, decision);
    if (error) return failed(error, history);
  }
  status.counts({ current, desired, metrics: statuses, hasScaled: scales });
  ctx.metrics.desired(namespace, name, desired);
  const error = (await status.write()) ?? decision.error;
  return {
    history: scales ? historyAfter(work, current, { desired, history }) : history,
    action: desired > current ? "scale_up" : scales ? "scale_down" : "none",
    error,
    fault: error ? "internal" : "none",
  };
}

const failed = (
  error: Error,
  history: ScalingHistory | undefined,
  fault: FaultLabel = "internal",
): Reconciled => ({ history, action: "none", error, fault });

const record = ({ autoscaler, ctx }: Work, reason: string, note: string): void =>
  ctx.events.record(autoscaler, { type: "Warning", reason, note });

async function withoutScale(
  work: Work,
  cause: unknown,
  history: ScalingHistory | undefined,
): Promise<Reconciled> {
  const { status, reference, ctx } = work;
  ctx.signal.throwIfAborted();
  const note = errorMessage(cause);
  record(work, "FailedGetScale", note);
  const message = `the HPA controller was unable to get the target's current scale: ${note}`;
  status.set("AbleToScale", "False", { reason: "FailedGetScale", message });
  await status.tryWrite();
  const isSpec = cause instanceof InvalidReferenceError;
  const error = new Error(whyNoScale(cause, reference), { cause });
  return failed(error, history, isSpec ? "spec" : "internal");
}

function whyNoScale(error: unknown, reference: string): string {
  if (error instanceof InvalidReferenceError)
    return "invalid API version in scale target reference";
  if (error instanceof UnknownKindError)
    return "unable to determine resource for scale target reference";
  return `failed to query scale subresource for ${reference}`;
}

/** How many pods there should be; undefined where that is unknown. */
interface Decision {
  readonly desired: number | undefined;
  readonly reason: string;
  readonly statuses?: readonly MetricStatus[] | undefined;
  readonly history: ScalingHistory;
  /** Why some metrics did not count. */
  readonly error?: Error | undefined;
}

async function decide(work: Work, target: ScaleTarget, history: ScalingHistory): Promise<Decision> {
  const { autoscaler, status, ctx } = work;
  const { maxReplicas: max, minReplicas: min = 1, behavior } = autoscaler.spec;
  const current = target.scale.spec.replicas ?? 0;
  if (current === 0) {
    status.set("ScalingActive", "False", {
      reason: "ScalingDisabled",
      message: "scaling is disabled since the replica count of the target is zero",
    });
    status.remove("ScaledToZero");
    return { desired: 0, reason: "", history };
  }
  if (current > max)
    return { desired: max, reason: "Current number of replicas above Spec.MaxReplicas", history };
  if (current < min)
    return { desired: min, reason: "Current number of replicas below Spec.MinReplicas", history };
  const found = await desiredReplicas(autoscaler, { scale: target.scale, status, ctx });
  const { statuses, error, replicas: desired } = found;
  if (desired === undefined) return { desired, reason: "", statuses, error, history };
  const { downscaleStabilizationMs } = ctx.settings;
  const now = ctx.clock.now();
  const input = { current, desired, min, max, behavior, downscaleStabilizationMs, now };
  const limited = limitedReplicas(input, history);
  status.set("AbleToScale", "True", limited.able);
  status.set("ScalingLimited", limited.limited.status, limited.limited);
  return {
    desired: limited.replicas,
    reason: reasonFor(desired - current, found.name),
    statuses,
    history: limited.history,
    error,
  };
}

function reasonFor(change: number, metric: string): string {
  if (change === 0) return "";
  return change > 0 ? `${metric} above target` : "All metrics below target";
}

/** Scales the target; returns the error if that failed. */
async function rescaled(
  work: Work,
  target: ScaleTarget,
  { desired = 0, reason, statuses }: Decision,
): Promise<Error | undefined> {
  const { autoscaler, reference, status, ctx } = work;
  const current = target.scale.spec.replicas ?? 0;
  try {
    await writeScale(target, desired, ctx);
  } catch (cause) {
    ctx.signal.throwIfAborted();
    const why = errorMessage(cause);
    record(work, "FailedRescale", `New size: ${desired}; reason: ${reason}; error: ${why}`);
    const message = `the HPA controller was unable to update the target scale: ${why}`;
    status.set("AbleToScale", "False", { reason: "FailedUpdateScale", message });
    status.counts({ current, desired: autoscaler.status.desiredReplicas, metrics: statuses });
    await status.tryWrite();
    return new Error(`failed to rescale ${reference}`, { cause });
  }
  status.set("AbleToScale", "True", {
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${desired}`,
  });
  status.remove("ScaledToZero");
  ctx.events.record(autoscaler, {
    type: "Normal",
    reason: "SuccessfulRescale",
    note: `New size: ${desired}; reason: ${reason}`,
  });
  return undefined;
}

/** Only policies look at what was done before. */
function historyAfter(
  { autoscaler, ctx }: Work,
  current: number,
  { desired, history }: { readonly desired: number; readonly history: ScalingHistory },
): ScalingHistory {
  const { behavior } = autoscaler.spec;
  if (!behavior) return history;
  const rules = desired > current ? behavior.scaleUp : behavior.scaleDown;
  return withScaleEvent(history, { from: current, to: desired, now: ctx.clock.now() }, rules);
}

/** Writes the new number of pods. After a conflict, the scale is read again. */
async function writeScale(
  target: ScaleTarget,
  replicas: number,
  { clock, random, log, signal }: AutoscalerContext,
): Promise<void> {
  let { scale } = target;
  await retryOnConflict(
    async () => {
      try {
        await target.write({ ...scale, spec: { ...scale.spec, replicas } });
      } catch (error) {
        scale = await target.read().catch((failure: unknown) => {
          logFailure(log, "reading a scale again failed", failure);
          return scale;
        });
        throw error;
      }
    },
    { clock, random, signal },
  );
}
