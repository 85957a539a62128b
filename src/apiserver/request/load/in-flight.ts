import type { Clock } from "../../../base/clock.ts";
import type { Attributes } from "../../authorization/attributes.ts";
import type { ApiResponse } from "../request.ts";
import { textResponse } from "../respond.ts";

/** How many requests may be served at once; 0 is no limit. */
export interface MaxInFlight {
  readonly reading: number;
  readonly writing: number;
}

/** Upstream's limits. */
export const defaultMaxInFlight: MaxInFlight = { reading: 400, writing: 200 };

export type RequestSort = keyof MaxInFlight;

const readingVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** Which of the two limits a request counts for. */
export const sortOf = ({ verb }: Attributes): RequestSort =>
  readingVerbs.has(verb) ? "reading" : "writing";

/** Whether it only asks if the server is well: such a request is never one too many. */
export const isProbe = ({ isResource, verb, path }: Attributes): boolean =>
  !isResource && verb === "get" && probes.has(path);

/** As upstream's fairness lets them pass. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);

/** Counts the requests that are being served, and says when there are too many. */
export class InFlight {
  readonly #max: MaxInFlight;
  readonly #clock: Clock;
  readonly #now = { reading: 0, writing: 0 };
  /** The most there were in the second that `#second` numbers, and in the one before it. */
  #most = { reading: 0, writing: 0 };
  #mostBefore = { reading: 0, writing: 0 };
  #second = 0;

  constructor(max: MaxInFlight, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** False where the request is one too many; else `leave` follows. Administrators always get in. */
  enter(sort: RequestSort, groups: readonly string[]): boolean {
    const max = this.#max[sort];
    if (max > 0 && this.#now[sort] >= max && !groups.includes("system:masters")) return false;
    this.#now[sort]++;
    this.#turn();
    if (this.#now[sort] > this.#most[sort]) this.#most[sort] = this.#now[sort];
    return true;
  }

  leave(sort: RequestSort): void {
    this.#turn();
    this.#now[sort]--;
  }

  /** The most that were served at once within the last second or two. */
  most(sort: RequestSort): number {
    this.#turn();
    return Math.max(this.#most[sort], this.#mostBefore[sort]);
  }

  /** Begins a second, with what goes on from the one before. */
  #turn(): void {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second === this.#second) return;
    this.#mostBefore = second === this.#second + 1 ? this.#most : { ...this.#now };
    this.#most = { ...this.#now };
    this.#second = second;
  }
}

/** The answer to one request too many. */
export function tooManyRequests(): ApiResponse {
  const response = textResponse(429, "Too many requests, please try again later.\n");
  return { ...response, headers: { ...response.headers, "retry-after": "1" } };
}
