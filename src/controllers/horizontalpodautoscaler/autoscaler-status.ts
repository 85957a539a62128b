import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { HorizontalPodAutoscalerStatus } from "../../api/autoscaling/v2/horizontal-pod-autoscaler-spec.ts";
import type { MetricStatus } from "../../api/autoscaling/v2/metric.ts";
import { errorMessage } from "../../base/error-message.ts";
import { withCondition, withoutCondition } from "../../controller-runtime/objects/conditions.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { AutoscalerContext } from "./autoscaler-context.ts";

export interface StatusCounts {
  readonly current: number;
  readonly desired: number;
  readonly metrics: readonly MetricStatus[] | undefined;
  /** Whether the target was scaled just now. */
  readonly hasScaled?: boolean;
}

type Conditions = HorizontalPodAutoscalerStatus["conditions"];

/** The status of an autoscaler while it is reconciled; it is written once. */
export class AutoscalerStatus {
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #ctx: AutoscalerContext;
  #status: HorizontalPodAutoscalerStatus;

  constructor(autoscaler: HorizontalPodAutoscaler, ctx: AutoscalerContext) {
    this.#autoscaler = autoscaler;
    this.#ctx = ctx;
    this.#status = autoscaler.status;
  }

  set(
    type: string,
    status: "True" | "False",
    { reason, message }: { readonly reason: string; readonly message: string },
  ): void {
    const condition = { type, status, reason, message };
    this.#conditions(withCondition(this.#status.conditions, condition, this.#ctx.clock));
  }

  remove(type: string): void {
    this.#conditions(withoutCondition(this.#status.conditions, type));
  }

  counts({ current, desired, metrics, hasScaled = false }: StatusCounts): void {
    const { conditions, lastScaleTime } = this.#status;
    const time = hasScaled ? formatTime(timeFromMillis(this.#ctx.clock.now())) : lastScaleTime;
    this.#status = {
      ...(time !== undefined && { lastScaleTime: time }),
      ...(current !== 0 && { currentReplicas: current }),
      desiredReplicas: desired,
      currentMetrics: metrics ?? [],
      ...(conditions && { conditions }),
    };
  }

  /** Writes the status if it has changed; returns the error if that failed. */
  async write(): Promise<Error | undefined> {
    const { client, events, signal } = this.#ctx;
    const { name = "" } = this.#autoscaler.metadata;
    if (sameJson(comparable(this.#status), comparable(this.#autoscaler.status))) return undefined;
    try {
      const changed = { ...this.#autoscaler, status: this.#status };
      await client.update(HorizontalPodAutoscaler, changed, { subresource: "status", signal });
      return undefined;
    } catch (cause) {
      signal.throwIfAborted();
      const note = errorMessage(cause);
      events.record(this.#autoscaler, { type: "Warning", reason: "FailedUpdateStatus", note });
      return new Error(`failed to update status for ${name}`, { cause });
    }
  }

  /** The same where another error is the one to return. */
  async tryWrite(): Promise<void> {
    const error = await this.write();
    if (error) logFailure(this.#ctx.log, "writing the status of an autoscaler failed", error);
  }

  #conditions(conditions: Conditions): void {
    this.#status = { ...this.#status, conditions };
  }
}

/** A list without metrics is written as null. */
const comparable = ({ currentMetrics, ...rest }: HorizontalPodAutoscalerStatus): object => ({
  ...rest,
  currentMetrics: currentMetrics ?? [],
});
