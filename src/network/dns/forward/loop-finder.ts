import { type Clock, withDeadline } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Random } from "../../../base/random.ts";
import { internetClass, recordTypes } from "../message/dns-codes.ts";
import type { DnsQuestion } from "../message/dns-message.ts";
import { type DnsName, foldCase, nameOfLabels, rootName } from "../message/dns-name.ts";
import type { exchangeMessage, ServerAddress } from "./exchange-message.ts";
import { queryFor } from "./upstream-query.ts";

export interface LoopFinderOptions {
  readonly exchange: typeof exchangeMessage;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Finds name servers that forward to this server, directly or by others. */
export interface LoopFinder {
  /** Asks servers that were not asked before for names that only this server knows. */
  check(servers: readonly ServerAddress[]): void;
  /** Notes a question that has arrived; returns whether it was asked by this server. */
  saw(question: DnsQuestion): boolean;
  /** Whether a server leads back to this one. */
  isIn(server: ServerAddress): boolean;
}

/** Creates a finder of loops: a name that was asked of a server and arrives here has come by that server. */
export function findLoops({ exchange, clock, random, log, signal }: LoopFinderOptions): LoopFinder {
  const asked = new Map<DnsName, ServerAddress>();
  const states = new Map<string, { isLoop: boolean }>();
  const ask = async (server: ServerAddress): Promise<void> => {
    const name = foldCase(nameOfLabels([randomLabel(random), randomLabel(random)]) ?? rootName);
    const question = { name, type: recordTypes.HINFO, class: internetClass };
    const query = queryFor(question, { dnssecOk: false, checkingDisabled: false }, random);
    asked.set(name, server);
    try {
      await withDeadline({ clock, ms: waitMs, signal }, (ending) =>
        exchange(query, server, ending),
      );
    } catch {
      // What counts is whether the question arrives.
    } finally {
      asked.delete(name);
    }
  };
  return {
    check(servers) {
      const keys = new Set(servers.map(keyOf));
      for (const key of states.keys()) if (!keys.has(key)) states.delete(key);
      for (const server of servers) {
        if (states.has(keyOf(server))) continue;
        states.set(keyOf(server), { isLoop: false });
        void ask(server);
      }
    },
    saw({ name, type }) {
      if (type !== recordTypes.HINFO || asked.size === 0) return false;
      const server = asked.get(foldCase(name));
      const state = server && states.get(keyOf(server));
      if (!server || !state) return false;
      if (!state.isLoop)
        log.error(
          "a name server of the node leads back to the cluster's DNS, and is not used",
          new Error("loop detected"),
          { server: server.address },
        );
      state.isLoop = true;
      return true;
    },
    isIn: (server) => states.get(keyOf(server))?.isLoop ?? false,
  };
}

/** How long a question may be on its way. */
const waitMs = 10_000;

const keyOf = ({ address, port }: ServerAddress): string => `${address} ${port}`;

const randomLabel = (random: Random): string =>
  Array.from({ length: 16 }, () => Math.floor(random.next() * 16).toString(16)).join("");
