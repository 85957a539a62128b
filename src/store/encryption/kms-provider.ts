import { type Clock, sleep, type Timer } from "../../base/clock.ts";
import type { Ciphers } from "../../base/cryptography/ciphers.ts";
import { errorMessage } from "../../base/error-message.ts";
import { EncryptedObject } from "./encrypted-object.ts";
import { gcmTransformer, seedTransformer } from "./key-transformers.ts";
import type { Opened, TransformationType, Transformer } from "./transformer.ts";

/** A seed as the service encrypted it. */
export interface SealedSeed {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
}

/** A key management service, version 2 of its protocol: its key never leaves it. */
export interface KmsService {
  status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }>;
  encrypt(uid: string, plain: Uint8Array): Promise<SealedSeed>;
  decrypt(uid: string, sealed: SealedSeed): Promise<Uint8Array>;
  /** Whether a call failed because the service cannot be reached, so that it may succeed later. */
  isUnreachable(error: unknown): boolean;
  close(): void;
}

/** Receives what happens with the keys of a service. */
export interface KmsObserver {
  /** A value was encrypted or decrypted with a key of the service. */
  used(type: TransformationType, keyId: string): void;
  /** The service's status named a valid key, which it encrypts with. */
  named(keyId: string): void;
  invalid(fault: "empty" | "too_long"): void;
  /** The service had to decrypt a seed first. */
  missed(): void;
  /** How many seeds are kept. */
  kept(count: number): void;
}

export interface KmsProviderOptions {
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly ciphers: Ciphers;
  readonly uuid: () => string;
  readonly sha256: (text: string) => Uint8Array;
  /** Whether reads wait for a service that cannot be reached, as those of a server do when it starts. */
  readonly waits: boolean;
  readonly observer?: KmsObserver | undefined;
}

/** What new values are encrypted with. */
interface State {
  readonly transformer: Transformer;
  readonly sealed: SealedSeed;
  /** New values are encrypted until then, in milliseconds since the epoch. */
  readonly expires: number;
}

/** The types of keys in stored values. */
const sourceTypes = { key: 0, seed: 1 } as const;

const minute = 60_000;
/** How often the service is asked for its status, while it is healthy and while it is not. */
const pollMs = { healthy: minute, unhealthy: 10_000 };
/** How long new values are encrypted without the service. */
const writableMs = 3 * minute;
/** How long a status counts, for health checks. */
const countsMs = { healthy: 20_000, unhealthy: 3_000 };
/** How long a read waits before it asks a service again that it could not reach. */
const retryMs = 1000;
/** How many keys of others are kept. */
const mostKept = 10_000;

/**
 * Envelope encryption: values are encrypted with keys that are derived from a seed, and the seed is stored with them,
 * encrypted by the service. A seed is decrypted once and kept. When the service names another key, a new seed is made.
 */
export class KmsProvider implements Transformer {
  readonly #options: KmsProviderOptions;
  #state: State | undefined;
  #version: string | undefined;
  #fault: string | undefined = "the service was not asked yet";
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;
  /** The transformers of stored seeds, or what asks for them. */
  readonly #kept = new Map<string, Transformer | Promise<Transformer>>();

  constructor(options: KmsProviderOptions) {
    this.#options = options;
  }

  /** Asks the service once, and from then on regularly; it may be started later than the server. */
  async start(): Promise<void> {
    await this.check();
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#options.service.close();
  }

  /** Why the service is not healthy; undefined if it is. */
  async check(): Promise<string | undefined> {
    const counts = this.#fault === undefined ? countsMs.healthy : countsMs.unhealthy;
    if (this.#options.clock.now() - this.#askedAt >= counts) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#fault;
  }

  seal(value: Uint8Array, path: Uint8Array): Uint8Array {
    const state = this.#state;
    if (!state) throw new Error("got unexpected nil transformer");
    const now = this.#options.clock.now();
    const { keyId, ciphertext, annotations } = state.sealed;
    if (now > state.expires)
      throw new Error(
        `encryptedDEKSource with keyID hash ${JSON.stringify(this.#hash(keyId))} expired at ${timeText(state.expires)} (current time is ${timeText(now)})`,
      );
    const encryptedData = state.transformer.seal(value, path);
    this.#options.observer?.used("to_storage", keyId);
    return EncryptedObject.encode({
      encryptedData,
      keyID: keyId,
      encryptedDEKSource: ciphertext,
      annotations: Object.entries(annotations).map(([key, one]) => ({ key, value: one })),
      encryptedDEKSourceType: sourceTypes.seed,
    });
  }

  open(stored: Uint8Array, path: Uint8Array): Opened | Promise<Opened> {
    const object = EncryptedObject.decode(stored);
    const { encryptedDEKSourceType: type, encryptedDEKSource: ciphertext, keyID: keyId } = object;
    if (type !== sourceTypes.key && type !== sourceTypes.seed)
      throw new Error(`unknown encryptedDEKSourceType: ${type}`);
    if (object.encryptedData.length === 0) throw new Error("encrypted data is empty");
    checkSealed({ ciphertext, keyId });
    const annotations = Object.fromEntries(
      object.annotations.map(({ key, value }) => [key, value]),
    );
    const found = this.#transformerOf({ ciphertext, keyId, annotations }, type);
    const opened = async (transformer: Transformer) => {
      this.#options.observer?.used("from_storage", keyId);
      return this.#judged(await transformer.open(object.encryptedData, path), keyId, type);
    };
    if (found instanceof Promise) return found.then(opened);
    this.#options.observer?.used("from_storage", keyId);
    const plain = found.open(object.encryptedData, path);
    return plain instanceof Promise ? opened(found) : this.#judged(plain, keyId, type);
  }

  #judged({ value }: Opened, keyId: string, type: number): Opened {
    const isStale = keyId !== this.#state?.sealed.keyId || type !== sourceTypes.seed;
    return { value, isStale };
  }

  /** Keeps the transformer of a seed; one that could not be decrypted is asked for again. */
  #transformerOf(sealed: SealedSeed, type: number): Transformer | Promise<Transformer> {
    const id = idOf(sealed, type);
    const known = this.#kept.get(id);
    if (known) return known;
    const { ciphers, observer } = this.#options;
    observer?.missed();
    const asked = this.#decrypted(sealed).then(
      (seed) => {
        const transformer =
          type === sourceTypes.seed
            ? seedTransformer(ciphers, seed)
            : gcmTransformer(ciphers, seed);
        this.#keep(id, transformer);
        return transformer;
      },
      (cause: unknown) => {
        this.#kept.delete(id);
        throw new Error(`failed to decrypt DEK, error: ${errorMessage(cause)}`, { cause });
      },
    );
    this.#keep(id, asked);
    return asked;
  }

  async #decrypted(sealed: SealedSeed): Promise<Uint8Array> {
    const { service, uuid, clock, waits } = this.#options;
    for (;;) {
      try {
        return await service.decrypt(uuid(), sealed);
      } catch (error) {
        if (!waits || this.#isClosed || !service.isUnreachable(error)) throw error;
      }
      await sleep(clock, retryMs);
    }
  }

  #keep(id: string, transformer: Transformer | Promise<Transformer>): void {
    this.#kept.delete(id);
    this.#kept.set(id, transformer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#options.observer?.kept(this.#kept.size);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const ms = this.#fault === undefined ? pollMs.healthy : pollMs.unhealthy;
    this.#timer = this.#options.clock.setTimer(ms, () => {
      void this.check().then(() => this.#schedule());
    });
  }

  async #ask(): Promise<void> {
    const { name, service, clock } = this.#options;
    this.#fault = await this.#rotate().catch((error: unknown) => errorMessage(error));
    this.#askedAt = clock.now();
    if (this.#fault !== undefined && !this.#fault.startsWith("failed to perform"))
      this.#fault = `kmsv2 Provider ${name} is not healthy, error: ${this.#fault}`;
    if (this.#isClosed) service.close();
  }

  /** Makes a new seed if the service uses another key; the fault if it is not healthy. */
  async #rotate(): Promise<string | undefined> {
    const { name, service, clock, ciphers, uuid, observer } = this.#options;
    const expires = clock.now() + writableMs;
    const status = await service.status().catch((cause: unknown) => {
      throw new Error(
        `failed to perform status section of the healthz check for KMS Provider ${name}, error: ${errorMessage(cause)}`,
      );
    });
    const faults: string[] = [];
    if (status.healthz !== "ok") faults.push(`got unexpected healthz status: ${status.healthz}`);
    if (status.version !== "v2" && status.version !== "v2beta1")
      faults.push(`expected KMSv2 API version v2, got ${status.version}`);
    else {
      this.#version ??= status.version;
      if (this.#version !== status.version)
        faults.push(
          `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${status.version}`,
        );
    }
    const keyFault = keyIdFault(status.keyId);
    if (keyFault === undefined) observer?.named(status.keyId);
    else observer?.invalid(status.keyId === "" ? "empty" : "too_long");
    if (keyFault !== undefined)
      faults.push(
        `got invalid KMSv2 KeyID hash ${JSON.stringify(this.#hash(status.keyId))}: ${keyFault}`,
      );
    else if (this.#state?.sealed.keyId === status.keyId) this.#state = { ...this.#state, expires };
    else {
      const seed = ciphers.random(32);
      const sealed = await service.encrypt(uuid(), seed).catch((cause: unknown) => {
        throw new Error(
          `failed to rotate DEK: failed to encrypt DEK, error: ${errorMessage(cause)}`,
        );
      });
      checkSealed(sealed);
      if (sealed.keyId !== status.keyId)
        faults.push("failed to rotate DEK: the service encrypts with another key than it names");
      else {
        const transformer = seedTransformer(ciphers, seed);
        this.#state = { transformer, sealed, expires };
        this.#keep(idOf(sealed, sourceTypes.seed), transformer);
      }
    }
    if (faults.length === 0) return undefined;
    return faults.length === 1 ? faults[0] : `[${faults.join(", ")}]`;
  }

  #hash(keyId: string): string {
    if (keyId === "") return "";
    const hex = Array.from(this.#options.sha256(keyId), (byte) =>
      byte.toString(16).padStart(2, "0"),
    );
    return `sha256:${hex.join("")}`;
  }
}

const largestSource = 1024;
const largestKeyId = 1024;

function checkSealed({ ciphertext, keyId }: Pick<SealedSeed, "ciphertext" | "keyId">): void {
  const size = ciphertext.length;
  if (size === 0)
    throw new Error("failed to validate encrypted DEK source: encrypted DEK source is empty");
  if (size > largestSource)
    throw new Error(
      `failed to validate encrypted DEK source: encrypted DEK source is ${size} bytes, which exceeds the max size of ${largestSource}`,
    );
  const fault = keyIdFault(keyId);
  if (fault !== undefined) throw new Error(`failed to validate key id: ${fault}`);
}

function keyIdFault(keyId: string): string | undefined {
  const size = new TextEncoder().encode(keyId).length;
  if (size === 0) return "keyID is empty";
  return size > largestKeyId
    ? `keyID is ${size} bytes, which exceeds the max size of ${largestKeyId}`
    : undefined;
}

/** All that the service needs to decrypt a seed. */
const idOf = ({ ciphertext, keyId, annotations }: SealedSeed, type: number): string =>
  JSON.stringify([
    type,
    keyId,
    Array.from(ciphertext),
    Object.entries(annotations)
      .map(([key, value]) => [key, Array.from(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);

const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
