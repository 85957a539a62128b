import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { RateLimiter } from "../../base/queue/rate-limiter.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import { createRestMapper } from "../../client/discovery/rest-mapper.ts";
import { formatKeyOf, parseKey } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { formatLabelSelector, nothing } from "../../schema/selectors/label-selector.ts";
import type { ScalingSettings } from "./autoscaler-context.ts";
import { autoscalerMetrics } from "./autoscaler-metrics.ts";
import { metricSources } from "./metric-sources.ts";
import { reconcileAutoscaler } from "./reconcile-autoscaler.ts";
import { findScaleTarget } from "./scale-target.ts";
import type { ScalingHistory } from "./scaling-history.ts";
import { SelectingAutoscalers } from "./selecting-autoscalers.ts";

export interface HorizontalPodAutoscalerOptions extends ScalingSettings {
  readonly concurrency: number;
  /** How often each autoscaler reads its metrics. */
  readonly periodMs: number;
}

/** Changes the number of pods of what autoscalers name, by what their metrics say. */
export const horizontalPodAutoscalerController = (
  options: HorizontalPodAutoscalerOptions,
): Runnable =>
  queueController({
    name: "horizontal-pod-autoscaler-controller",
    setUp(ctx) {
      const { client, signal } = ctx;
      const autoscalers = ctx.informer(HorizontalPodAutoscaler);
      const pods = ctx.informer(Pod);
      const discovery = createDiscovery(client);
      const mapper = createRestMapper(discovery);
      const metrics = autoscalerMetrics(ctx.metrics);
      const selecting = new SelectingAutoscalers();
      const histories = new Map<string, ScalingHistory>();
      const context = {
        ...ctx,
        metrics,
        selecting,
        settings: options,
        events: ctx.events("horizontal-pod-autoscaler"),
        sources: metricSources({ client, mapper, discovery, signal }),
        target: ({ spec, metadata }: HorizontalPodAutoscaler) =>
          findScaleTarget(spec.scaleTargetRef, metadata.namespace ?? "", {
            client,
            mapper,
            signal,
          }),
        pods: (namespace: string, selector: Parameters<typeof formatLabelSelector>[0]) =>
          pods.list({ namespace, labelSelector: formatLabelSelector(selector) }),
      };

      const queue = ctx.queue({
        name: "horizontalpodautoscaler",
        workers: options.concurrency,
        limiter: everyPeriod(options.periodMs),
        failure: "scaling by an autoscaler failed",
        async work(key) {
          const autoscaler = autoscalers.get(parseKey(key));
          if (!autoscaler) {
            histories.delete(key);
            return;
          }
          const begun = ctx.ticks();
          const done = await reconcileAutoscaler(autoscaler, histories.get(key), context);
          metrics.reconciled(done.action, done.fault, ctx.ticks() - begun);
          if (done.history) histories.set(key, done.history);
          if (done.error)
            logFailure(ctx.log, "scaling by an autoscaler failed", done.error, { key });
          queue.addRateLimited(key);
        },
      });
      const enqueue = (autoscaler: HorizontalPodAutoscaler): void =>
        queue.addRateLimited(formatKeyOf(autoscaler));
      ctx.onSynced(() => {
        autoscalers.addHandler({
          added(autoscaler) {
            // Its pods are known once its target has been read.
            const { namespace, name = "" } = autoscaler.metadata;
            selecting.set({ namespace, name }, nothing);
            metrics.count(autoscalers.list().length);
            enqueue(autoscaler);
          },
          updated: enqueue,
          deleted(autoscaler) {
            const { namespace = "", name = "" } = autoscaler.metadata;
            selecting.delete({ namespace, name });
            metrics.forget(namespace, name);
            metrics.count(autoscalers.list().length);
          },
        });
      });
    },
  });

/** Puts a key back after a period, however often it has failed. */
const everyPeriod = (periodMs: number): RateLimiter<string> => ({
  when: () => periodMs,
  forget() {},
  requeues: () => 1,
});
