import { badRequest, StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import { LinkedList } from "../../../base/linked-list.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import type { TimeLeft } from "../../objects/request-context.ts";
import type { Query } from "../query.ts";
import type { ApiResponse } from "../request.ts";
import type { RequestState } from "../request-state.ts";

/** Milliseconds that a request may take: the client's `timeout`, but not more than the server's limit. */
export function timeoutOf(query: Query, longestMs: number): number {
  const text = query.text("timeout");
  if (text === "") return longestMs;
  const wanted = Number(durationIn(text)) / 1e6;
  return wanted > 0 && wanted < longestMs ? wanted : longestMs;
}

/**
 * Throws if the request has timed out, so that no more work is done for it. Verbs call this between their
 * steps, the last time before the commit; a write that is committed stays.
 */
export function checkpoint(state: Pick<RequestState, "isGivenUp">): void {
  if (state.isGivenUp) throw new StatusError("Timeout", timeoutMessage);
}

/** A request in progress. */
interface Running {
  readonly due: number;
  readonly giveUp: () => void;
}

/**
 * Times requests out. Most have the same limit, so they are due in the order of their arrival, and one timer
 * serves all of them.
 */
export class TimeLimit {
  readonly #clock: Clock;
  /** Milliseconds that a request may take. */
  readonly ms: number;
  /** In the order in which they are due. */
  readonly #running = new LinkedList<Running>();
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.ms = ms;
  }

  /**
   * The response of the work, or a timeout when it takes too long. On a timeout `onTimeout` is called, and the
   * function it returns is called when the work ends after all.
   */
  keep(
    work: () => Promise<ApiResponse>,
    query: Query,
    onTimeout: () => () => void,
  ): Promise<ApiResponse> {
    const ms = timeoutOf(query, this.ms);
    return new Promise((resolve, reject) => {
      let ended = (): void => {};
      const giveUp = (): void => {
        ended = onTimeout();
        resolve(timedOut());
      };
      const stop = ms === this.ms ? this.#add(giveUp) : this.#alone(ms, giveUp);
      work().then(
        (response) => {
          stop();
          ended();
          resolve(response);
        },
        (error: unknown) => {
          stop();
          ended();
          reject(error);
        },
      );
    });
  }

  /** How long a write may still take. Long-running requests have no limit. */
  timeLeft(state: RequestState): TimeLeft {
    const { signal } = state.request;
    if (state.isLongRunning) return { ms: Number.POSITIVE_INFINITY, signal };
    const ms = timeoutOf(state.query, Math.min(this.ms, longestWrite)) - state.elapsed() * 1000;
    return { ms: Math.max(ms, 0), signal };
  }

  close(): void {
    this.#timer?.cancel();
    this.#running.clear();
  }

  #add(giveUp: () => void): () => void {
    const running = { due: this.#clock.now() + this.ms, giveUp };
    const link = this.#running.add(running);
    this.#timer ??= this.#clock.setTimer(this.ms, () => this.#look());
    return () => this.#running.remove(link);
  }

  #alone(ms: number, giveUp: () => void): () => void {
    const timer = this.#clock.setTimer(ms, giveUp);
    return () => timer.cancel();
  }

  /** Times out the requests that are due, and sets the timer for the next. */
  #look(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let link = this.#running.first; link; link = this.#running.first) {
      const { due, giveUp } = link.value;
      if (due > now) {
        this.#timer = this.#clock.setTimer(due - now, () => this.#look());
        return;
      }
      this.#running.remove(link);
      giveUp();
    }
  }
}

/** Writes have less time than other requests. */
const longestWrite = 34_000;

const timeoutMessage = "Timeout: request did not complete within the allotted timeout";

/** A Status without kind and apiVersion, as upstream writes it here. */
function timedOut(): ApiResponse {
  const message = timeoutMessage;
  const status = { metadata: {}, status: "Failure", message, reason: "Timeout", details: {} };
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache, private",
  };
  return { status: 504, headers, body: `${JSON.stringify({ ...status, code: 504 })}\n` };
}

function durationIn(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}
