import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import type { Extender as ExtenderConfiguration } from "./configuration/scheduler-configuration.ts";
import { Extender, type ExtenderTransport } from "./extenders/extender.ts";
import { withIgnoredResources } from "./extenders/ignored-resources.ts";
import { mergedRegistry, type Registry } from "./framework/registry.ts";
import { inTreePlugins } from "./in-tree-plugins.ts";
import { completed, type KubeSchedulerConfiguration } from "./parse-configuration.ts";
import { SchedulingLoop } from "./scheduling-loop.ts";

export interface SchedulerOptions {
  /** The configuration. Default: one profile with the default plugins. */
  readonly configuration?: KubeSchedulerConfiguration | undefined;
  /**
   * The feature gates that are on, of those that have an effect: GenericWorkload schedules groups of pods together,
   * and GangScheduling has the plugin of that name among the default ones.
   */
  readonly features?: ReadonlySet<string> | undefined;
  /** Your own plugins by name; a configuration can enable them like in-tree ones. */
  readonly plugins?: Registry | undefined;
  /** Connects to an extender; required if the configuration has any. */
  readonly connectExtender?: ((extender: ExtenderConfiguration) => ExtenderTransport) | undefined;
  /**
   * Subscribes to requests to log what is in the scheduler's cache and queue, and how that differs from the API;
   * returns what unsubscribes.
   */
  readonly onReportRequest?: ((report: () => void) => () => void) | undefined;
  /** Yields to other work between pods. Default: a timer of the clock. */
  readonly yieldTurn?: (() => Promise<void>) | undefined;
}

/**
 * Creates a scheduler that a manager runs; throws a `ConfigurationError` for an invalid configuration.
 */
export function createScheduler(options: SchedulerOptions = {}): Runnable {
  const { features = new Set<string>() } = options;
  const configuration = withIgnoredResources(completed(options.configuration ?? {}, features));
  const registry = mergedRegistry(inTreePlugins, options.plugins);
  const { connectExtender } = options;
  if ((configuration.extenders ?? []).length > 0 && !connectExtender)
    throw new Error("extenders need the option connectExtender");
  return {
    name: "kube-scheduler",
    async run(signal, ctx) {
      const scheduler = new SchedulingLoop(configuration, {
        registry,
        ctx,
        features,
        yieldTurn: options.yieldTurn,
        extenders: (configuration.extenders ?? []).flatMap((one) =>
          connectExtender
            ? new Extender(one, { transport: connectExtender(one), clock: ctx.clock, signal })
            : [],
        ),
      });
      const unsubscribe = options.onReportRequest?.(() => scheduler.report());
      try {
        await scheduler.run(signal);
      } finally {
        unsubscribe?.();
        await scheduler.close();
      }
    },
  };
}
