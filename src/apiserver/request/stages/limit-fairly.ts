import type { PriorityAndFairness } from "../../fairness/priority-and-fairness.ts";
import { estimateRequest, type LoadFacts } from "../../fairness/request-work.ts";
import type { WatcherCounts } from "../../fairness/watcher-counts.ts";
import { seatsOf } from "../../fairness/work-estimate.ts";
import type { FlowControlMetrics } from "../../metrics/flow-control-metrics.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { KindUtilization } from "../../metrics/utilization-metrics.ts";
import type { Resources } from "../../objects/resources.ts";
import { followedStream, isStream } from "../followed-stream.ts";
import { type InFlight, limitOf, tooManyRequests } from "../load/in-flight.ts";
import { type TimeLimit, timeoutOf } from "../load/request-timeout.ts";
import type { ApiResponse } from "../request.ts";
import type { RequestState } from "../request-state.ts";
import type { Next, Stage } from "../stage.ts";
import { kindOf } from "./limit-in-flight.ts";

export interface FairLimitParts {
  readonly fairness: PriorityAndFairness;
  readonly facts: LoadFacts;
  readonly watchers: WatcherCounts;
  readonly flowControl: FlowControlMetrics;
  /** Only counts here. */
  readonly inFlight: InFlight;
  readonly timeLimit: Pick<TimeLimit, "ms">;
  readonly metrics: Pick<ServerMetrics, "requests">;
  readonly resources: Pick<Resources, "find">;
}

/** A request waits for at most a quarter of the time that it has, and for at most a minute. */
const partOfTimeout = 4;
const longestWaitMs = 60_000;

/**
 * Has requests wait for their turn when too many are in flight, by their priority and fairly among their flows.
 * Long-running requests do not count, but watches do until their first events are collected.
 */
export const limitFairly = (parts: FairLimitParts): Stage => ({
  name: "limit",
  around: (next) => async (state) => {
    const { attributes } = state;
    const isWatch = attributes.verb === "watch";
    if (state.isLongRunning && !isWatch) return next(state);
    const { fairness, inFlight, timeLimit } = parts;
    const patience = timeoutOf(state.query, timeLimit.ms) / partOfTimeout;
    const { flow, admitted: entered } = fairness.enter({
      attributes,
      estimate(matched, mostSeats) {
        const { facts, flowControl } = parts;
        if (isWrite(attributes.verb)) flowControl.watchers(matched, facts.watchers(attributes));
        const work = estimateRequest(attributes, state.query, { facts, mostSeats });
        flowControl.estimated(matched, seatsOf(work));
        return work;
      },
      waitMs: Math.min(patience, longestWaitMs) - state.elapsed() * 1000,
      signal: state.request.signal,
    });
    state.flow = flow;
    const limit = limitOf(attributes);
    const used = parts.flowControl.ofKind(limit === "writing");
    const admitted = entered instanceof Promise ? await waited(entered, used) : entered;
    if (!admitted) {
      parts.metrics.requests.terminated(state, kindOf(state.target, parts.resources), 429);
      return tooManyRequests(fairness.retryAfter(flow));
    }
    inFlight.enter(limit, attributes.user.groups);
    used.executing.add(1);
    try {
      return await (isWatch ? watch(state, next, parts) : next(state));
    } finally {
      used.executing.add(-1);
      inFlight.leave(limit);
      admitted.end();
    }
  },
});

/** Counts a request that waits. */
async function waited<T>(entered: Promise<T>, { waiting }: KindUtilization): Promise<T> {
  waiting.add(1);
  try {
    return await entered;
  } finally {
    waiting.add(-1);
  }
}

const isWrite = (verb: string): boolean =>
  verb === "create" || verb === "update" || verb === "patch" || verb === "delete";

/** Counts a watch for as long as it is sent events. */
async function watch(
  state: RequestState,
  next: Next,
  { watchers }: FairLimitParts,
): Promise<ApiResponse> {
  const response = await next(state);
  const begin = () => watchers.begin(state.attributes);
  const { body, values } = response;
  if (values) return { ...response, values: followedStream(values, { begin }) };
  return isStream(body) ? { ...response, body: followedStream(body, { begin }) } : response;
}
