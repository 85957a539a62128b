import type { Metrics } from "../../base/metrics.ts";

export interface CountOptions {
  readonly metrics: Metrics;
  /** Milliseconds of a steady clock. */
  readonly ticks: () => number;
}

/** How the calls of a service are counted: the operation of each method that is. */
export interface CountedCalls<S> {
  readonly operations: Readonly<Partial<Record<keyof S, string>>>;
  /** Operations that last as long as a client wants: they are not measured. */
  readonly endless?: ReadonlySet<string> | undefined;
  /** Called after each operation, with the seconds that it took. */
  readonly after?: ((call: EndedCall) => void) | undefined;
}

export interface EndedCall {
  readonly operation: string;
  readonly args: readonly unknown[];
  readonly seconds: number;
  readonly result?: unknown;
  readonly hasFailed: boolean;
}

/** Wraps a service: counts its operations, their errors and how long they take. */
export function countCalls<S extends object>(
  service: S,
  { operations, endless, after }: CountedCalls<S>,
  { metrics, ticks }: CountOptions,
): S {
  const { total, errors, duration } = operationMetrics(metrics);
  const wrapped = new Map<string | symbol, unknown>();
  const wrap = (operation: string, call: (...args: readonly unknown[]) => Promise<unknown>) =>
    async function counted(...args: readonly unknown[]): Promise<unknown> {
      total.of(operation).add(1);
      const began = ticks();
      const end = (hasFailed: boolean, result?: unknown): void => {
        const seconds = (ticks() - began) / 1000;
        if (hasFailed) errors.of(operation).add(1);
        if (!endless?.has(operation)) duration.of(operation).observe(seconds);
        after?.({ operation, args, seconds, result, hasFailed });
      };
      try {
        const result = await call(...args);
        end(false, result);
        return result;
      } catch (error) {
        end(true);
        throw error;
      }
    };
  return new Proxy(service, {
    get(target, name) {
      const known = wrapped.get(name);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const operation = operations[name as keyof S];
      const bound = member.bind(target);
      const result = operation === undefined ? bound : wrap(operation, bound);
      wrapped.set(name, result);
      return result;
    },
  });
}

function operationMetrics(metrics: Metrics) {
  const labels = ["operation_type"];
  return {
    total: metrics.counter({
      name: "kubelet_runtime_operations_total",
      help: "Cumulative number of runtime operations by operation type.",
      stability: "ALPHA",
      labels,
    }),
    errors: metrics.counter({
      name: "kubelet_runtime_operations_errors_total",
      help: "Cumulative number of runtime operation errors by operation type.",
      stability: "ALPHA",
      labels,
    }),
    duration: metrics.histogram({
      name: "kubelet_runtime_operations_duration_seconds",
      help: "Duration in seconds of runtime operations. Broken down by operation type.",
      stability: "ALPHA",
      labels,
      buckets: Array.from({ length: 14 }, (_, i) => 0.005 * 2.5 ** i),
    }),
  };
}
