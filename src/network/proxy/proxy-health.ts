import { type IpFamily, ipFamilies } from "../services/ip-family.ts";

/** Whether the rules of services follow the API, as upstream's `/healthz` says it. */
export interface ProxyHealth {
  readonly lastUpdated: string;
  readonly currentTime: string;
  readonly nodeEligible?: boolean | undefined;
  readonly healthy: boolean;
  readonly status: Readonly<
    Partial<Record<IpFamily, { readonly lastUpdated: string; readonly healthy: boolean }>>
  >;
}

/** Tells a proxy that is late from one that has nothing to do. */
export class ProxyHealthRecord {
  readonly #timeoutMs: number;
  #updatedAt: number | undefined;
  #queuedAt: number | undefined;

  /** A change that is not programmed after so long is late. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** A change is to be programmed. */
  queued(now: number): void {
    this.#queuedAt ??= now;
  }

  /** All that was known at some time is programmed. */
  updated(now: number): void {
    this.#updatedAt = now;
    this.#queuedAt = undefined;
  }

  isHealthy(now: number): boolean {
    return this.#queuedAt === undefined || now - this.#queuedAt < this.#timeoutMs;
  }

  /** As upstream, a healthy proxy was updated now. */
  at(now: number): ProxyHealth {
    const healthy = this.isHealthy(now);
    const lastUpdated = time(this.#updatedAt);
    const status = Object.fromEntries(
      ipFamilies.map((family) => [family, { lastUpdated, healthy }]),
    );
    return {
      lastUpdated: healthy ? time(now) : lastUpdated,
      currentTime: time(now),
      healthy,
      status: this.#updatedAt === undefined ? {} : status,
    };
  }
}

const time = (ms: number | undefined): string =>
  ms === undefined ? "0001-01-01T00:00:00Z" : new Date(ms).toISOString();
