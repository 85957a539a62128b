import type { Counter, Family, Gauge, Metrics } from "../../base/metrics.ts";

type Labels = readonly [resource: string, type: string, prefix: string];

/** Counts transformations of values, also before there is a registry that shows them. */
export class EncryptionMetrics {
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>();
  readonly #reloads = new Map<string, { count: number; at: number }>();

  transformed(labels: Labels, error: unknown): void {
    const status = error === undefined ? "OK" : "unknown-non-grpc";
    const [resource, type, prefix] = labels;
    const key = [resource, type, prefix, status].join("\0");
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { labels: [resource, status, type, prefix], count: 1 });
  }

  reloaded(status: "success" | "failure", now: number): void {
    const known = this.#reloads.get(status);
    this.#reloads.set(status, { count: (known?.count ?? 0) + 1, at: now });
  }

  /** Shows the counts in a registry. */
  register(metrics: Metrics): void {
    const transformations: Family<Counter> = metrics.counter(operations);
    const reloads: Family<Counter> = metrics.counter(reloadTotal);
    const times: Family<Gauge> = metrics.gauge(reloadTime);
    const shown = new Map<string, number>();
    /** What was counted since the last time. */
    const since = (key: string, count: number): number => {
      const before = shown.get(key) ?? 0;
      shown.set(key, count);
      return count - before;
    };
    metrics.onRead(() => {
      for (const [key, { labels, count }] of this.#counts)
        transformations.of(...labels).add(since(key, count));
      for (const [status, { count, at }] of this.#reloads) {
        reloads.of(status).add(since(status, count));
        times.of(status).set(at / 1000);
      }
    });
  }
}

const operations = {
  name: "apiserver_storage_transformation_operations_total",
  help: "Values that were encrypted or decrypted.",
  stability: "ALPHA",
  labels: ["resource", "status", "transformation_type", "transformer_prefix"],
} as const;

const reloadTotal = {
  name: "apiserver_encryption_config_controller_automatic_reloads_total",
  help: "Reloads of the encryption configuration.",
  stability: "ALPHA",
  labels: ["status"],
} as const;

const reloadTime = {
  name: "apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds",
  help: "When the encryption configuration was last reloaded.",
  stability: "ALPHA",
  labels: ["status"],
} as const;
