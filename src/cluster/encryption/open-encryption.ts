import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { HealthCheck } from "../../apiserver/documents/health-endpoints.ts";
import type { Timer } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import { realClock } from "../../platform/real-clock.ts";
import { watchFiles } from "../../platform/watch-files.ts";
import type { Encryption } from "../../store/encryption/encrypted-store.ts";
import { type BuiltEncryption, buildEncryption, ownKey } from "./build-encryption.ts";
import type { EncryptionConfiguration } from "./encryption-configuration.ts";
import { EncryptionMetrics } from "./encryption-metrics.ts";
import { ownConfiguration } from "./own-key.ts";
import { privacyWarning, readEncryption } from "./read-encryption.ts";
import { resourceOfKey } from "./resource-of-key.ts";

export interface EncryptionOptions {
  /** The file with the configuration, and whether it is read again when it changes. */
  readonly file?: { readonly path: string; readonly reloads: boolean } | undefined;
  /** The key of the data directory: without a file it encrypts secrets, and with one it still decrypts them. */
  readonly own?: Uint8Array | undefined;
  /** The prefix of all keys in the store, which is authenticated with each value. */
  readonly keyPrefix: string;
  /** Whether reads wait for services that cannot be reached. */
  readonly waits: boolean;
  /** The name of the server whose encryption is measured. */
  readonly measuredAs?: string;
  readonly log: Log;
}

/** How a store is encrypted, by the configuration of the moment. */
export interface OpenEncryption {
  readonly encryption: Encryption;
  /** Of the services that hold keys; empty if there can be none. */
  readonly healthChecks: readonly HealthCheck[];
  observe(metrics: Metrics): void;
  close(): void;
}

/** Opens the encryption of a store; undefined if nothing is encrypted. */
export async function openEncryption(
  options: EncryptionOptions,
): Promise<OpenEncryption | undefined> {
  const { file, own, keyPrefix, waits, measuredAs, log } = options;
  if (!file && !own) return undefined;
  const metrics = measuredAs === undefined ? undefined : new EncryptionMetrics(measuredAs);
  const build = (config: EncryptionConfiguration): Promise<BuiltEncryption> =>
    buildEncryption(config, {
      waits,
      metrics,
      own: own && ownKey("wherry", own),
    });
  const read = async (): Promise<EncryptionConfiguration> =>
    file ? readEncryption(file.path, file.reloads) : ownConfiguration(own ?? new Uint8Array());
  let built = await build(await read());
  const warning = file && (await privacyWarning(file.path));
  if (warning !== undefined) log.warn("encryption configuration", { warning });

  let hash = file && (await hashOf(file.path));
  if (hash !== undefined) metrics?.loaded(hash);
  let isClosed = false;
  const retiring = new Map<BuiltEncryption, Timer>();
  const reload = async (path: string): Promise<void> => {
    const now = await hashOf(path);
    if (now === hash) return;
    const next = await build(await readEncryption(path, true));
    if (isClosed) {
      next.close();
      return;
    }
    const before = built;
    [built, hash] = [next, now];
    metrics?.reloaded("success", realClock.now());
    metrics?.loaded(now);
    log.info("encryption configuration was reloaded", { path });
    // Requests under way may still need the services of the old one.
    const timer = realClock.setTimer(graceMs, () => {
      before.close();
      retiring.delete(before);
    });
    retiring.set(before, timer);
  };
  const watcher =
    file?.reloads &&
    watchFiles([file.path], {
      clock: realClock,
      onChange: () =>
        void reload(file.path).catch((error: unknown) => {
          metrics?.reloaded("failure", realClock.now());
          log.error("reloading the encryption configuration failed", error, { path: file.path });
        }),
    });

  const encoder = new TextEncoder();
  return {
    encryption: {
      transformerOf(key) {
        const resource = resourceOfKey(key);
        return resource && built.transformerOf(resource);
      },
      pathOf: (key) => encoder.encode(keyPrefix + key.slice("/registry".length)),
      onUnreadable: (key, error) => log.error("decrypting a value failed", error, { key }),
    },
    healthChecks: file?.reloads || built.kms.length > 0 ? [kmsCheck(() => built)] : [],
    observe: (registry) => metrics?.register(registry),
    close() {
      isClosed = true;
      if (watcher) watcher.close();
      for (const timer of retiring.values()) timer.cancel();
      for (const one of [built, ...retiring.keys()]) one.close();
    },
  };
}

/** Longer than two calls of a service may take. */
const graceMs = 10_000;

const hashOf = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");

/** One check for all services, as upstream has it. */
const kmsCheck = (current: () => BuiltEncryption): HealthCheck => ({
  name: "kms-providers",
  async check() {
    const faults = await Promise.all(
      current().kms.map(async (one, i) => {
        const fault = await one.check().catch((error: unknown) => errorMessage(error));
        return fault === undefined ? [] : [`kms-provider-${i}: ${fault}`];
      }),
    );
    const all = faults.flat();
    return all.length === 0 ? undefined : all.length === 1 ? all[0] : `[${all.join(", ")}]`;
  },
});
