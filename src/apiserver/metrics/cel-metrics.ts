import type { Histogram, Metrics } from "../../base/metrics.ts";

/** Measures the rules of custom kinds. */
export interface RuleTimes {
  compiling<T>(compile: () => T): T;
  evaluating<T>(evaluate: () => T): T;
}

/** The metrics of expressions in schemas. */
export function celMetrics(metrics: Metrics, ticks: () => number): RuleTimes {
  const compilation = metrics.histogram(compilationDuration).of();
  const evaluation = metrics.histogram(evaluationDuration).of();
  const timed = <T>(histogram: Histogram, run: () => T): T => {
    const begun = ticks();
    try {
      return run();
    } finally {
      histogram.observe((ticks() - begun) / 1000);
    }
  };
  return {
    compiling: (compile) => timed(compilation, compile),
    evaluating: (evaluate) => timed(evaluation, evaluate),
  };
}

/** Prometheus' own. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const compilationDuration = {
  name: "apiserver_cel_compilation_duration_seconds",
  help: "Seconds that it took to compile the rules of a schema.",
  stability: "BETA",
  buckets,
} as const;

const evaluationDuration = {
  name: "apiserver_cel_evaluation_duration_seconds",
  help: "Seconds that it took to evaluate the rules for an object.",
  stability: "BETA",
  buckets,
} as const;
