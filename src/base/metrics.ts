/** A number that only grows. */
export interface Counter {
  add(amount: number): void;
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number): void;
  add(amount: number): void;
}

/** A histogram of observed values. */
export interface Histogram {
  /** Observes a value, once or as often as `times` says. */
  observe(value: number, times?: number): void;
}

/** A metric with labels: one value for each combination of label values. */
export interface Family<M> {
  /** The metric for these label values, in the order of the definition. Keep it where it is used often. */
  of(...values: readonly string[]): M;
  /** Forgets the metric for these label values; one that is used again starts at zero. */
  remove(...values: readonly string[]): void;
  /** Resets all combinations; one that is used again starts at zero. */
  reset(): void;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  /** The stability level that Kubernetes promises; absent for metrics that are not Kubernetes' own. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE";
  /** The release that deprecated it. */
  readonly deprecated?: string;
  readonly labels?: readonly string[];
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[];
}

/** Creates the metrics of components, under Kubernetes' names. */
export interface Metrics {
  counter(definition: MetricDefinition): Family<Counter>;
  gauge(definition: MetricDefinition): Family<Gauge>;
  histogram(definition: HistogramDefinition): Family<Histogram>;
  /** Registers a function that runs before each read, to update metrics that are not kept up to date. */
  onRead(collect: () => void): void;
}

/** Metrics that are never collected. */
export const noMetrics: Metrics = {
  counter: () => ({ of: () => ({ add: ignore }), remove: ignore, reset: ignore }),
  gauge: () => ({ of: () => ({ add: ignore, set: ignore }), remove: ignore, reset: ignore }),
  histogram: () => ({ of: () => ({ observe: ignore }), remove: ignore, reset: ignore }),
  onRead: ignore,
};

function ignore(): void {}
