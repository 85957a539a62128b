/** A value for every label name of the metric's definition. */
export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(amount: number, labels?: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[];
}

/** Where components get their metrics from; the names are Kubernetes'. */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: HistogramDefinition): Histogram;
}

/** Metrics that nobody collects. */
export const noMetrics: Metrics = {
  counter: () => ({ add: ignore }),
  gauge: () => ({ set: ignore }),
  histogram: () => ({ observe: ignore }),
};

function ignore(): void {}
