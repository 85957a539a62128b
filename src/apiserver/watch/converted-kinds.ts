import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { convertStored } from "../objects/conversions.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ResourceCache } from "./watch-cache.ts";

/** How long a list waits for conversions that have failed before. */
const patienceMs = 1000;

/** The state of a kind whose objects could not be converted. */
interface Unready {
  readonly since: number;
  readonly message: string;
}

/**
 * Kinds whose objects a webhook converts. As upstream's cache, such a kind is listed and watched only once all its
 * objects are converted; until then clients are to come again.
 */
export class ConvertedKinds {
  readonly #clock: Clock;
  readonly #unready = new WeakMap<AnyKind, Unready>();
  readonly #attempts = new WeakMap<AnyKind, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Converts the objects in a cache to a kind; throws TooManyRequests if some cannot be converted. */
  async ready(kind: AnyKind, cache: ResourceCache): Promise<void> {
    const attempt = this.#attempts.get(kind) ?? this.#attempt(kind, cache);
    const over = new AbortController();
    // After a failure, nobody waits for a webhook that may be dead.
    const patience = this.#unready.has(kind)
      ? [sleep(this.#clock, patienceMs, over.signal).catch(() => {})]
      : [];
    await Promise.race([attempt, ...patience]);
    over.abort();
    const unready = this.#unready.get(kind);
    if (unready) throw initializing(kind, unready, this.#clock.now());
  }

  #attempt(kind: AnyKind, cache: ResourceCache): Promise<void> {
    const attempt = convertStored(kind, cache.list(cache.prefix))
      .then(
        () => {
          this.#unready.delete(kind);
        },
        (error: unknown) => {
          const { since } = this.#unready.get(kind) ?? { since: this.#clock.now() };
          const message = error instanceof Error ? error.message : String(error);
          this.#unready.set(kind, { since, message });
        },
      )
      .finally(() => this.#attempts.delete(kind));
    this.#attempts.set(kind, attempt);
    return attempt;
  }
}

function initializing(
  { group, version, kind }: AnyKind,
  { since, message }: Unready,
  now: number,
): StatusError {
  const seconds = Math.exp((0.06 * (now - since)) / 1000);
  return new StatusError(
    "TooManyRequests",
    `storage is (re)initializing: failed to list ${group}/${version}, Kind=${kind}: ${message}`,
    { details: { retryAfterSeconds: Math.floor(Math.min(30, Math.max(1, seconds))) } },
  );
}
