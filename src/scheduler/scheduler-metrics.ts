import type {
  Counter,
  Family,
  Gauge,
  Histogram,
  HistogramDefinition,
  MetricDefinition,
  Metrics,
} from "../base/metrics.ts";

/** The scheduler's metrics, with upstream's names. */
export interface SchedulerMetrics {
  readonly attempts: Family<Counter>;
  readonly attemptSeconds: Family<Histogram>;
  readonly algorithmSeconds: Histogram;
  readonly eventSeconds: Family<Histogram>;
  readonly pointSeconds: Family<Histogram>;
  readonly pluginSeconds: Family<Histogram>;
  readonly pluginEvaluations: Family<Counter>;
  readonly hintSeconds: Family<Histogram>;
  readonly permitWaitSeconds: Family<Histogram>;
  readonly preemptionAttempts: Counter;
  readonly preemptionVictims: Histogram;
  readonly preemptionSeconds: Family<Histogram>;
  readonly preemptionRuns: Family<Counter>;
  readonly pendingPods: Family<Gauge>;
  readonly inFlightEvents: Family<Gauge>;
  readonly goroutines: Family<Gauge>;
  readonly sliSeconds: Family<Histogram>;
  readonly podAttempts: Histogram;
  readonly scheduledAfterFlush: Counter;
  readonly incomingPods: Family<Counter>;
  readonly cacheSize: Family<Gauge>;
  readonly unschedulablePods: Family<Gauge>;
  readonly claimCreations: Family<Counter>;
  readonly conditionalAllocations: Family<Counter>;
  readonly deviceBindingSeconds: Family<Histogram>;
}

export function schedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const counter = (definition: MetricDefinition) => quick(metrics.counter(named(definition)));
  const gauge = (definition: MetricDefinition) => quick(metrics.gauge(named(definition)));
  const histogram = (definition: HistogramDefinition) =>
    quick(metrics.histogram(named(definition)));
  return {
    attempts: counter(definitions.attempts),
    attemptSeconds: histogram(definitions.attemptSeconds),
    algorithmSeconds: histogram(definitions.algorithmSeconds).of(),
    eventSeconds: histogram(definitions.eventSeconds),
    pointSeconds: histogram(definitions.pointSeconds),
    pluginSeconds: histogram(definitions.pluginSeconds),
    pluginEvaluations: counter(definitions.pluginEvaluations),
    hintSeconds: histogram(definitions.hintSeconds),
    permitWaitSeconds: histogram(definitions.permitWaitSeconds),
    preemptionAttempts: counter(definitions.preemptionAttempts).of(),
    preemptionVictims: histogram(definitions.preemptionVictims).of(),
    preemptionSeconds: histogram(definitions.preemptionSeconds),
    preemptionRuns: counter(definitions.preemptionRuns),
    pendingPods: gauge(definitions.pendingPods),
    inFlightEvents: gauge(definitions.inFlightEvents),
    goroutines: gauge(definitions.goroutines),
    sliSeconds: histogram(definitions.sliSeconds),
    podAttempts: histogram(definitions.podAttempts).of(),
    scheduledAfterFlush: counter(definitions.scheduledAfterFlush).of(),
    incomingPods: counter(definitions.incomingPods),
    cacheSize: gauge(definitions.cacheSize),
    unschedulablePods: gauge(definitions.unschedulablePods),
    claimCreations: counter(definitions.claimCreations),
    conditionalAllocations: counter(definitions.conditionalAllocations),
    deviceBindingSeconds: histogram(definitions.deviceBindingSeconds),
  };
}

/** Caches the members of a metric: lookups happen for each of thousands of pods. */
function quick<M>(family: Family<M>): Family<M> {
  const known = new Map<string, M>();
  const keyOf = (values: readonly string[]): string =>
    values.length === 1 ? (values[0] ?? "") : values.join("\0");
  return {
    of(...values) {
      const key = keyOf(values);
      let member = known.get(key);
      if (member === undefined) {
        member = family.of(...values);
        known.set(key, member);
      }
      return member;
    },
    remove(...values) {
      known.delete(keyOf(values));
      family.remove(...values);
    },
    reset() {
      known.clear();
      family.reset();
    },
  };
}

const named = <D extends MetricDefinition>(definition: D): D => ({
  ...definition,
  name: `scheduler_${definition.name}`,
});

const growing = (start: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

const definitions = {
  attempts: {
    name: "schedule_attempts_total",
    help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
    stability: "STABLE",
    labels: ["result", "profile"],
  },
  attemptSeconds: {
    name: "scheduling_attempt_duration_seconds",
    help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
    stability: "STABLE",
    labels: ["result", "profile"],
    buckets: growing(0.001, 2, 15),
  },
  algorithmSeconds: {
    name: "scheduling_algorithm_duration_seconds",
    help: "Scheduling algorithm latency in seconds",
    stability: "ALPHA",
    buckets: growing(0.001, 2, 15),
  },
  eventSeconds: {
    name: "event_handling_duration_seconds",
    help: "Event handling latency in seconds.",
    stability: "ALPHA",
    labels: ["event"],
    buckets: growing(0.0001, 2, 12),
  },
  pointSeconds: {
    name: "framework_extension_point_duration_seconds",
    help: "Latency for running all plugins of a specific extension point.",
    stability: "STABLE",
    labels: ["extension_point", "status", "profile"],
    buckets: growing(0.0001, 2, 12),
  },
  pluginSeconds: {
    name: "plugin_execution_duration_seconds",
    help: "Duration for running a plugin at a specific extension point.",
    stability: "ALPHA",
    labels: ["plugin", "extension_point", "status"],
    buckets: growing(0.00001, 1.5, 20),
  },
  pluginEvaluations: {
    name: "plugin_evaluation_total",
    help: "Number of attempts to schedule pods by each plugin and the extension point (available only in PreFilter, Filter, PreScore, and Score).",
    stability: "BETA",
    labels: ["plugin", "extension_point", "profile"],
  },
  hintSeconds: {
    name: "queueing_hint_execution_duration_seconds",
    help: "Duration for running a queueing hint function of a plugin.",
    stability: "ALPHA",
    labels: ["plugin", "event", "hint"],
    buckets: growing(0.00001, 1.5, 20),
  },
  permitWaitSeconds: {
    name: "permit_wait_duration_seconds",
    help: "Duration of waiting on permit.",
    stability: "BETA",
    labels: ["result"],
    buckets: growing(0.001, 2, 15),
  },
  preemptionAttempts: {
    name: "preemption_attempts_total",
    help: "Total preemption attempts in the cluster till now",
    stability: "STABLE",
  },
  preemptionVictims: {
    name: "preemption_victims",
    help: "Number of selected preemption victims",
    stability: "STABLE",
    buckets: growing(1, 2, 7),
  },
  preemptionSeconds: {
    name: "preemption_goroutines_duration_seconds",
    help: "Duration in seconds for running goroutines for the preemption.",
    stability: "ALPHA",
    labels: ["result"],
    buckets: growing(0.01, 2, 20),
  },
  preemptionRuns: {
    name: "preemption_goroutines_execution_total",
    help: "Number of preemption goroutines executed.",
    stability: "ALPHA",
    labels: ["result"],
  },
  pendingPods: {
    name: "pending_pods",
    help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
    stability: "STABLE",
    labels: ["queue"],
  },
  inFlightEvents: {
    name: "inflight_events",
    help: "Number of events currently tracked in the scheduling queue.",
    stability: "ALPHA",
    labels: ["event"],
  },
  goroutines: {
    name: "goroutines",
    help: "Number of running goroutines split by the work they do such as binding.",
    stability: "BETA",
    labels: ["operation"],
  },
  sliSeconds: {
    name: "pod_scheduling_sli_duration_seconds",
    help: "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.",
    stability: "BETA",
    labels: ["attempts"],
    buckets: growing(0.01, 2, 20),
  },
  podAttempts: {
    name: "pod_scheduling_attempts",
    help: "Number of attempts to successfully schedule a pod.",
    stability: "STABLE",
    buckets: growing(1, 2, 5),
  },
  scheduledAfterFlush: {
    name: "pod_scheduled_after_flush_total",
    help: "Number of pods that were successfully scheduled after being flushed from unschedulablePods due to timeout. This metric helps detect potential queueing hint misconfigurations or event handling issues.",
    stability: "ALPHA",
  },
  incomingPods: {
    name: "queue_incoming_pods_total",
    help: "Number of pods added to scheduling queues by event and queue type.",
    stability: "STABLE",
    labels: ["queue", "event"],
  },
  cacheSize: {
    name: "cache_size",
    help: "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
    stability: "ALPHA",
    labels: ["type"],
  },
  unschedulablePods: {
    name: "unschedulable_pods",
    help: "The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.",
    stability: "BETA",
    labels: ["plugin", "profile"],
  },
  claimCreations: {
    name: "resourceclaim_creates_total",
    help: "Number of ResourceClaims creation requests within scheduler",
    stability: "ALPHA",
    labels: ["status"],
  },
  conditionalAllocations: {
    name: "dra_bindingconditions_allocations_total",
    help: "Number of allocations using devices with BindingConditions, counted per driver per scheduling attempt",
    stability: "ALPHA",
    labels: ["profile", "driver", "status"],
  },
  deviceBindingSeconds: {
    name: "dra_bindingconditions_wait_duration_seconds",
    help: "Time in seconds spent waiting for BindingConditions to be satisfied during PreBind.",
    stability: "ALPHA",
    labels: ["profile", "driver", "status"],
    buckets: growing(0.1, 2, 14),
  },
} as const satisfies Record<string, MetricDefinition | HistogramDefinition>;
