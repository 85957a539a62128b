/** A number that only grows. */
export interface Counter {
  add(amount: number): void;
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number): void;
  add(amount: number): void;
}

/** How often values of each size occurred. */
export interface Histogram {
  observe(value: number): void;
}

/** A metric in all its sorts: one for each combination of its labels' values. */
export interface Family<M> {
  /** The one for these values, in the order of the definition's labels; keep it where it is used often. */
  of(...values: readonly string[]): M;
  /** Forgets all of them; one that is used again counts from nothing. */
  reset(): void;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  /** How far Kubernetes promises to keep it; not said of what is not Kubernetes' own. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE";
  /** Since which release it is to go. */
  readonly deprecated?: string;
  readonly labels?: readonly string[];
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[];
}

/** Where components get their metrics from; the names are Kubernetes'. */
export interface Metrics {
  counter(definition: MetricDefinition): Family<Counter>;
  gauge(definition: MetricDefinition): Family<Gauge>;
  histogram(definition: HistogramDefinition): Family<Histogram>;
  /** Has something done each time before the metrics are read: what costs nothing until then. */
  onRead(collect: () => void): void;
}

/** Metrics that nobody collects. */
export const noMetrics: Metrics = {
  counter: () => ({ of: () => ({ add: ignore }), reset: ignore }),
  gauge: () => ({ of: () => ({ add: ignore, set: ignore }), reset: ignore }),
  histogram: () => ({ of: () => ({ observe: ignore }), reset: ignore }),
  onRead: ignore,
};

function ignore(): void {}
