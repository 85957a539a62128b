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
import { serverText, usableServers } from "./usable-servers.ts";

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
  const { signal } = stop;
  const inFlight = new Map<string, Promise<DnsAnswer>>();
  const loops = findLoops({ clock, log, random, signal, exchange: exchangeMessage });
  const servers = usableServers({
    ...{ read: options.servers, isOwn: options.isOwn, loops, ticks, log },
    changed: () => cache.clear(),
  });

  const ask = async (question: DnsQuestion, kind: AnswerKind): Promise<DnsAnswer> => {
    const query = queryFor(question, kind, random);
    const candidates = await servers.list();
    const until = ticks() + totalMs;
    let last: DnsMessage | undefined;
    for (const server of candidates) {
      const ms = Math.min(attemptMs, until - ticks());
      if (ms <= 0) break;
      const to = serverText(server);
      const began = ticks();
      try {
        last = await exchangeWithin({ ms, clock, signal, query, server });
        metrics.forwarded(to, last.code, (ticks() - began) / 1000);
        servers.responded(server);
        if (isFinal(last)) break;
      } catch (error) {
        if (signal.aborted) break;
        metrics.forwardFailed(to);
        servers.failed(server);
        log.debug("forwarding failed", { server: to, reason: errorMessage(error) });
      }
    }
    return last ? answerIn(last) : failure;
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

/** How long one server may take, and all together: resolvers of the C library give up after five seconds. */
const attemptMs = 2000;
const totalMs = 4800;

const failure: DnsAnswer = {
  ...{ code: responseCodes.SERVFAIL, answers: [], authorities: [], additionals: [] },
  authenticData: false,
};

/** What a response says, without what it says of its query. */
const answerIn = (response: DnsMessage): DnsAnswer => {
  const { code, answers, authorities, additionals, authenticData } = response;
  return { code, answers, authorities, additionals, authenticData };
};

/** Whether another server could not know better. */
const isFinal = ({ code }: DnsMessage): boolean =>
  code === responseCodes.NOERROR || code === responseCodes.NXDOMAIN;
