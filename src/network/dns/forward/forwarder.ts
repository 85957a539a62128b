import { type Clock, ticksOf } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import type { Random } from "../../../base/random.ts";
import { responseCodes } from "../message/dns-codes.ts";
import type { DnsMessage, DnsQuestion } from "../message/dns-message.ts";
import type { DnsMetrics } from "../serve/dns-metrics.ts";
import { type AnswerKind, type DnsAnswer, DnsCache, keyOf } from "./dns-cache.ts";
import { exchangeMessage, type ServerAddress } from "./exchange-message.ts";
import { findLoops, type LoopFinder } from "./loop-finder.ts";
import { exchangeWithin, queryFor } from "./upstream-query.ts";

export interface ForwarderOptions {
  /** Reads the name servers of the node; called again when some seconds have passed. */
  readonly servers: () => Promise<readonly ServerAddress[]>;
  /** Whether an address is one of this server's own. */
  readonly isOwn: (server: ServerAddress) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: DnsMetrics;
  /** The most queries in flight; more are refused. */
  readonly maxInFlight?: number | undefined;
}

/** Resolves names that are not the cluster's by the name servers of the node. */
export interface Forwarder {
  resolve(question: DnsQuestion, kind: AnswerKind): Promise<DnsAnswer>;
  /** Whether a question is this server's own, which has come back by a loop of name servers. */
  readonly sawLoop: LoopFinder["saw"];
  close(): void;
}

/** Creates a forwarder with a cache. Equal questions at the same time are one query. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { clock, log, random, metrics, maxInFlight = 1000 } = options;
  const ticks = ticksOf(clock);
  const cache = new DnsCache({ ticks });
  const stop = new AbortController();
  const inFlight = new Map<string, Promise<DnsAnswer>>();
  const loops = findLoops({ clock, log, random, signal: stop.signal, exchange: exchangeMessage });
  /** Until when servers that failed are asked last. */
  const failed = new Map<string, number>();
  let known: readonly ServerAddress[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let hasWarned = false;

  const servers = async (): Promise<readonly ServerAddress[]> => {
    if (ticks() - readAt >= rereadMs) {
      readAt = ticks();
      try {
        const found = (await options.servers()).filter((server) => !options.isOwn(server));
        if (found.map(textOf).join() !== known.map(textOf).join()) cache.clear();
        known = found;
        loops.check(found);
      } catch (error) {
        log.warn("reading the name servers of the node failed", { reason: errorMessage(error) });
      }
    }
    const now = ticks();
    const isSound = (server: ServerAddress): boolean => (failed.get(textOf(server)) ?? 0) <= now;
    const usable = known.filter((server) => !loops.isIn(server));
    return [...usable.filter(isSound), ...usable.filter((server) => !isSound(server))];
  };

  const ask = async (question: DnsQuestion, kind: AnswerKind): Promise<DnsAnswer> => {
    const candidates = await servers();
    if (candidates.length === 0 && !hasWarned) log.warn("no name server to forward queries to");
    hasWarned = candidates.length === 0;
    const query = queryFor(question, kind, random);
    let last: DnsMessage | undefined;
    const until = ticks() + totalMs;
    for (const server of candidates) {
      const ms = Math.min(attemptMs, until - ticks());
      if (ms <= 0 || stop.signal.aborted) break;
      const began = ticks();
      try {
        const response = await exchangeWithin({ ms, clock, signal: stop.signal, query, server });
        metrics.forwarded(textOf(server), response.code, (ticks() - began) / 1000);
        failed.delete(textOf(server));
        last = response;
        if (isFinal(response)) break;
      } catch (error) {
        if (stop.signal.aborted) break;
        metrics.forwardFailed(textOf(server));
        failed.set(textOf(server), ticks() + asideMs);
        log.debug("forwarding failed", { server: textOf(server), reason: errorMessage(error) });
      }
    }
    return last ?? failure;
  };

  return {
    async resolve(question, kind) {
      const found = cache.get(question, kind);
      if (found) {
        metrics.cached(found.code === responseCodes.NOERROR && found.answers.length > 0);
        return found;
      }
      metrics.missed();
      const key = keyOf(question, kind);
      let answering = inFlight.get(key);
      if (!answering) {
        if (inFlight.size >= maxInFlight) {
          metrics.rejected();
          return { ...failure, code: responseCodes.REFUSED };
        }
        answering = ask(question, kind)
          .then((answer) => {
            if (answer !== failure) cache.set(question, kind, answer);
            metrics.cacheEntries(cache.size);
            return answer;
          })
          .finally(() => inFlight.delete(key));
        inFlight.set(key, answering);
      }
      return answering;
    },
    sawLoop: loops.saw,
    close: () => stop.abort(new Error("the forwarder is closed")),
  };
}

/** How long the list of name servers is used before it is read again. */
const rereadMs = 5000;
/** How long one server may take, and all together: resolvers of the C library give up after five seconds. */
const attemptMs = 2000;
const totalMs = 4800;
/** How long a server that did not respond is asked last. */
const asideMs = 10_000;

const failure: DnsAnswer = {
  ...{ code: responseCodes.SERVFAIL, answers: [], authorities: [], additionals: [] },
  authenticData: false,
};

/** Whether another server could not know better. */
const isFinal = ({ code }: DnsMessage): boolean =>
  code === responseCodes.NOERROR || code === responseCodes.NXDOMAIN;

const textOf = ({ address, port }: ServerAddress): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
