import type { Clock } from "../../../base/clock.ts";
import type { Attributes } from "../../authorization/attributes.ts";
import type { ApiResponse } from "../request.ts";
import { textResponse } from "../respond.ts";

/** How many requests may be in flight; 0 is no limit. */
export interface MaxInFlight {
  readonly reading: number;
  readonly writing: number;
}

/** Upstream's limits. */
export const defaultMaxInFlight: MaxInFlight = { reading: 400, writing: 200 };

/** Requests are counted only. */
export const noLimit: MaxInFlight = { reading: 0, writing: 0 };

export type LimitName = keyof MaxInFlight;

const readingVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** The limit that a request counts toward. */
export const limitOf = ({ verb }: Attributes): LimitName =>
  readingVerbs.has(verb) ? "reading" : "writing";

/** Whether a request is a health probe: those are never rejected. */
export const isProbe = ({ isResource, verb, path }: Attributes): boolean =>
  !isResource && verb === "get" && probes.has(path);

/** The paths that upstream's priority and fairness exempts. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);

/** Counts requests in flight, and rejects those beyond the limit. */
export class InFlight {
  readonly #max: MaxInFlight;
  readonly #clock: Clock;
  readonly #now = { reading: 0, writing: 0 };
  /** The maximum in the second that `#second` numbers, and in the one before it. */
  #most = { reading: 0, writing: 0 };
  #mostBefore = { reading: 0, writing: 0 };
  #second = 0;

  constructor(max: MaxInFlight, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** False where the limit is reached; otherwise the caller must call `leave`. Administrators have no limit. */
  enter(limit: LimitName, groups: readonly string[]): boolean {
    const max = this.#max[limit];
    if (max > 0 && this.#now[limit] >= max && !groups.includes("system:masters")) return false;
    this.#now[limit]++;
    this.#turn();
    if (this.#now[limit] > this.#most[limit]) this.#most[limit] = this.#now[limit];
    return true;
  }

  leave(limit: LimitName): void {
    this.#turn();
    this.#now[limit]--;
  }

  /** The maximum in flight within the last second or two. */
  most(limit: LimitName): number {
    this.#turn();
    return Math.max(this.#most[limit], this.#mostBefore[limit]);
  }

  /** Begins a new second with the requests that are still in flight. */
  #turn(): void {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second === this.#second) return;
    this.#mostBefore = second === this.#second + 1 ? this.#most : { ...this.#now };
    this.#most = { ...this.#now };
    this.#second = second;
  }
}

/** The response beyond the limit, which tells the client to try again after some seconds. */
export function tooManyRequests(retryAfter = 1): ApiResponse {
  const response = textResponse(429, "Too many requests, please try again later.\n");
  return { ...response, headers: { ...response.headers, "retry-after": String(retryAfter) } };
}
