import { createHash } from "node:crypto";
import type { Counter, Family, Gauge, Histogram, Metrics } from "../../base/metrics.ts";
import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import type { KmsObserver } from "../../store/encryption/kms-provider.ts";
import type { Transforming } from "../../store/encryption/transformer.ts";

/** Measures the encryption of a server's store, also before there is a registry that shows it. */
export class EncryptionMetrics {
  readonly #serverHash: string;
  #families: Families | undefined;
  readonly #early: ((families: Families) => void)[] = [];
  /** The labels of the keys that were used last, oldest first. */
  readonly #usedKeys = new Map<string, readonly string[]>();
  readonly #namedKeys = new Map<string, readonly string[]>();

  /** `serverName` is the name of the server's identity lease. */
  constructor(serverName: string) {
    this.#serverHash = hashOf(serverName);
  }

  /** Shows what was measured in a registry, and what is measured from now on. */
  register(metrics: Metrics): void {
    const families = familiesIn(metrics);
    families.cacheFill.of().set(0);
    this.#families = families;
    for (const apply of this.#early.splice(0)) apply(families);
  }

  /** Measures the transformations of a resource's values. */
  transforming(resource: string): Transforming {
    return (type) => {
      const start = performance.now();
      return (prefix, error) => {
        const seconds = (performance.now() - start) / 1000;
        this.#record(({ operations, durations }) => {
          operations.of(resource, type, prefix, statusOf(error)).add(1);
          if (error === undefined) durations.of(type, prefix).observe(seconds);
        });
      };
    };
  }

  /** Called with the hash of the configuration that is used from now on. */
  loaded(hash: string): void {
    this.#record(({ configInfo }) => {
      configInfo.reset();
      configInfo.of(this.#serverHash, `sha256:${hash}`).set(1);
    });
  }

  reloaded(status: "success" | "failure", now: number): void {
    this.#record(({ reloads, reloadTimes }) => {
      reloads.of(status, this.#serverHash).add(1);
      reloadTimes.of(status, this.#serverHash).set(now / 1000);
    });
  }

  /** Measures a call of a key management service. */
  async called<T>(provider: string, method: string, call: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const ended = (error?: unknown): void => {
      const seconds = (performance.now() - start) / 1000;
      this.#record(({ calls }) => calls.of(provider, method, statusOf(error)).observe(seconds));
    };
    try {
      const result = await call();
      ended();
      return result;
    } catch (error) {
      ended(error);
      throw error;
    }
  }

  /** Observes the keys of a provider. */
  observer(provider: string): KmsObserver {
    return {
      used: (type, keyId) => {
        const labels = [type, provider, hashOf(keyId), this.#serverHash];
        const now = Date.now() / 1000;
        this.#record(({ keyUses, keyUseTimes }) => {
          keyUses.of(...labels).add(1);
          keyUseTimes.of(...labels).set(now);
          forgetOldest(this.#usedKeys, labels, [keyUses, keyUseTimes]);
        });
      },
      named: (keyId) => {
        const labels = [provider, hashOf(keyId), this.#serverHash];
        const now = Date.now() / 1000;
        this.#record(({ keyNameTimes }) => {
          keyNameTimes.of(...labels).set(now);
          forgetOldest(this.#namedKeys, labels, [keyNameTimes]);
        });
      },
      invalid: (fault) => this.#record(({ invalidKeys }) => invalidKeys.of(provider, fault).add(1)),
      missed: () => this.#record(({ misses }) => misses.of().add(1)),
      kept: (count) => this.#record(({ cacheSizes }) => cacheSizes.of(provider).set(count)),
    };
  }

  #record(apply: (families: Families) => void): void {
    if (this.#families) apply(this.#families);
    else this.#early.push(apply);
  }
}

/** How many keys are shown, as upstream has it. */
const mostKeys = 100;

/** Forgets the key that was used longest ago once there are too many. */
function forgetOldest(
  known: Map<string, readonly string[]>,
  labels: readonly string[],
  families: readonly Pick<Family<unknown>, "remove">[],
): void {
  const id = labels.join("\0");
  known.delete(id);
  known.set(id, labels);
  const [oldest] = known.keys();
  if (known.size <= mostKeys || oldest === undefined) return;
  for (const family of families) family.remove(...(known.get(oldest) ?? []));
  known.delete(oldest);
}

const hashOf = (text: string): string =>
  text === "" ? "" : `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** The name of the status of a call as Go writes it; errors of other kinds have none. */
function statusOf(error: unknown): string {
  if (error === undefined) return "OK";
  if (error instanceof GrpcError) return statusNames.get(error.code) ?? "Unknown";
  if (error instanceof Error && error.cause !== undefined) return statusOf(error.cause);
  return "unknown-non-grpc";
}

const statusNames: ReadonlyMap<number, string> = new Map(
  Object.entries(grpcCodes).map(([name, code]) => [
    code,
    name === "cancelled" ? "Canceled" : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
  ]),
);

interface Families {
  readonly operations: Family<Counter>;
  readonly durations: Family<Histogram>;
  readonly misses: Family<Counter>;
  readonly reloads: Family<Counter>;
  readonly reloadTimes: Family<Gauge>;
  readonly configInfo: Family<Gauge>;
  readonly calls: Family<Histogram>;
  readonly keyUses: Family<Counter>;
  readonly keyUseTimes: Family<Gauge>;
  readonly keyNameTimes: Family<Gauge>;
  readonly invalidKeys: Family<Counter>;
  readonly cacheSizes: Family<Gauge>;
  readonly cacheFill: Family<Gauge>;
}

const doubling = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => first * 2 ** i);

const alpha = { stability: "ALPHA" } as const;
const storage = (name: string): string => `apiserver_storage_${name}`;
const envelope = (name: string): string => `apiserver_envelope_encryption_${name}`;
const controller = (name: string): string => `apiserver_encryption_config_controller_${name}`;
const keyLabels = ["provider_name", "key_id_hash", "apiserver_id_hash"];

const familiesIn = (metrics: Metrics): Families => ({
  operations: metrics.counter({
    ...alpha,
    name: storage("transformation_operations_total"),
    help: "Values that were encrypted or decrypted.",
    labels: ["resource", "transformation_type", "transformer_prefix", "status"],
  }),
  durations: metrics.histogram({
    ...alpha,
    name: storage("transformation_duration_seconds"),
    help: "How long it took to encrypt or decrypt a value.",
    labels: ["transformation_type", "transformer_prefix"],
    buckets: doubling(5e-6, 25),
  }),
  misses: metrics.counter({
    ...alpha,
    name: storage("envelope_transformation_cache_misses_total"),
    help: "Values whose key a key management service had to decrypt first.",
  }),
  reloads: metrics.counter({
    ...alpha,
    name: controller("automatic_reloads_total"),
    help: "Reloads of the encryption configuration.",
    labels: ["status", "apiserver_id_hash"],
  }),
  reloadTimes: metrics.gauge({
    ...alpha,
    name: controller("automatic_reload_last_timestamp_seconds"),
    help: "When the encryption configuration was last reloaded.",
    labels: ["status", "apiserver_id_hash"],
  }),
  configInfo: metrics.gauge({
    ...alpha,
    name: controller("last_config_info"),
    help: "The hash of the encryption configuration that is used.",
    labels: ["apiserver_id_hash", "hash"],
  }),
  calls: metrics.histogram({
    ...alpha,
    name: envelope("kms_operations_latency_seconds"),
    help: "How long calls of key management services took.",
    labels: ["provider_name", "method_name", "grpc_status_code"],
    buckets: doubling(0.0001, 20),
  }),
  keyUses: metrics.counter({
    ...alpha,
    name: envelope("key_id_hash_total"),
    help: "Values that were encrypted or decrypted with a key of a service.",
    labels: ["transformation_type", ...keyLabels],
  }),
  keyUseTimes: metrics.gauge({
    ...alpha,
    name: envelope("key_id_hash_last_timestamp_seconds"),
    help: "When a key of a service was last used.",
    labels: ["transformation_type", ...keyLabels],
  }),
  keyNameTimes: metrics.gauge({
    ...alpha,
    name: envelope("key_id_hash_status_last_timestamp_seconds"),
    help: "When a service last named a key in its status.",
    labels: keyLabels,
  }),
  invalidKeys: metrics.counter({
    ...alpha,
    name: envelope("invalid_key_id_from_status_total"),
    help: "Statuses of services that named no valid key.",
    labels: ["provider_name", "error"],
  }),
  cacheSizes: metrics.gauge({
    ...alpha,
    name: envelope("dek_source_cache_size"),
    help: "Seeds and keys that services have decrypted, and that are kept.",
    labels: ["provider_name"],
  }),
  cacheFill: metrics.gauge({
    ...alpha,
    name: envelope("dek_cache_fill_percent"),
    help: "How full the cache of keys of the first version of the protocol is, which is never used.",
  }),
});
