import type { Family, Histogram, Metrics } from "../../base/metrics.ts";
import type { Admission, AdmissionPlugin, Operation } from "../admission/admission.ts";

export interface AdmissionMetricsOptions {
  readonly metrics: Metrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
}

/** The same plugins, each timed; those with a lower-case name are not upstream's and have no metrics. */
export function measuredPlugins(
  plugins: readonly AdmissionPlugin[],
  { metrics, ticks }: AdmissionMetricsOptions,
): readonly AdmissionPlugin[] {
  const durations = metrics.histogram(controllerDuration);
  return plugins.map((plugin) => {
    const { admit, validate } = plugin;
    if (!/^[A-Z]/.test(plugin.name)) return plugin;
    const observe = (type: string) => observer(durations, [plugin.name, type]);
    return {
      ...plugin,
      ...(admit && { admit: timed(admit.bind(plugin), ticks, observe("admit")) }),
      ...(validate && { validate: timed(validate.bind(plugin), ticks, observe("validate")) }),
    };
  });
}

/** The same chain, each step of it timed. */
export function measuredAdmission(
  admission: Admission,
  { metrics, ticks }: AdmissionMetricsOptions,
): Admission {
  const durations = metrics.histogram(stepDuration);
  const admit = timed(admission.admit, ticks, observer(durations, ["admit"]));
  const validate = timed(admission.validate, ticks, observer(durations, ["validate"]));
  return {
    ...admission,
    admit: async (attributes) => admit(attributes),
    validate: async (attributes) => validate(attributes),
  };
}

type Observe = (operation: Operation, rejected: boolean, seconds: number) => void;

function timed<A extends { readonly operation: Operation }, R extends readonly unknown[]>(
  step: (attributes: A, ...rest: R) => void | Promise<void>,
  ticks: () => number,
  observe: Observe,
): (attributes: A, ...rest: R) => void | Promise<void> {
  const ended = ({ operation }: A, rejected: boolean, begun: number): void =>
    observe(operation, rejected, (ticks() - begun) / 1000);
  const finished = async (attributes: A, waiting: Promise<void>, begun: number): Promise<void> => {
    let rejected = true;
    try {
      await waiting;
      rejected = false;
    } finally {
      ended(attributes, rejected, begun);
    }
  };
  // Most steps are synchronous, and every write has dozens: avoid a promise for each.
  return (attributes, ...rest) => {
    const begun = ticks();
    let waiting: void | Promise<void>;
    try {
      waiting = step(attributes, ...rest);
    } catch (error) {
      ended(attributes, true, begun);
      throw error;
    }
    if (waiting instanceof Promise) return finished(attributes, waiting, begun);
    ended(attributes, false, begun);
  };
}

/** Caches the series of each outcome: there are few. */
function observer(durations: Family<Histogram>, labels: readonly string[]): Observe {
  const known = new Map<string, Histogram>();
  return (operation, rejected, seconds) => {
    const key = rejected ? `${operation}!` : operation;
    let histogram = known.get(key);
    if (!histogram) {
      histogram = durations.of(...labels, operation, String(rejected));
      known.set(key, histogram);
    }
    histogram.observe(seconds);
  };
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5] as const;

const controllerDuration = {
  name: "apiserver_admission_controller_admission_duration_seconds",
  help: "Seconds that an admission plugin took, by plugin, operation and phase.",
  stability: "STABLE",
  labels: ["name", "type", "operation", "rejected"],
  buckets,
} as const;

const stepDuration = {
  name: "apiserver_admission_step_admission_duration_seconds",
  help: "Seconds that a phase of admission took, by operation.",
  stability: "STABLE",
  labels: ["type", "operation", "rejected"],
  buckets,
} as const;
