import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import type { ServerAddress } from "./exchange-message.ts";
import type { LoopFinder } from "./loop-finder.ts";

export interface UsableServersOptions {
  /** Reads the name servers of the node. */
  readonly read: () => Promise<readonly ServerAddress[]>;
  /** Whether an address is one of this server's own. */
  readonly isOwn: (server: ServerAddress) => boolean;
  readonly loops: Pick<LoopFinder, "check" | "isIn">;
  /** Called when there are other servers than before. */
  readonly changed: () => void;
  /** Monotonic milliseconds. */
  readonly ticks: () => number;
  readonly log: Log;
}

/** The name servers of the node that can be asked. */
export interface UsableServers {
  /** In the order of the node, those that failed lately last. */
  list(): Promise<readonly ServerAddress[]>;
  responded(server: ServerAddress): void;
  failed(server: ServerAddress): void;
}

/** Keeps the list of servers; it is read again with the first query after some seconds. */
export function usableServers(options: UsableServersOptions): UsableServers {
  const { read, isOwn, loops, changed, ticks, log } = options;
  /** Until when servers that failed are asked last. */
  const aside = new Map<string, number>();
  let known: readonly ServerAddress[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let hasWarned = false;

  const readAgain = async (): Promise<void> => {
    try {
      const found = (await read()).filter((server) => !isOwn(server));
      if (found.map(serverText).join() !== known.map(serverText).join()) changed();
      known = found;
      loops.check(found);
    } catch (error) {
      log.warn("reading the name servers of the node failed", { reason: errorMessage(error) });
    }
  };

  return {
    async list() {
      if (ticks() - readAt >= rereadMs) {
        readAt = ticks();
        reading = readAgain();
      }
      await reading;
      const usable = known.filter((server) => !loops.isIn(server));
      const isNone = usable.length === 0;
      if (isNone && !hasWarned) log.warn("there is no name server to forward queries to");
      hasWarned = isNone;
      const now = ticks();
      const isSound = (server: ServerAddress): boolean =>
        (aside.get(serverText(server)) ?? 0) <= now;
      return [...usable.filter(isSound), ...usable.filter((server) => !isSound(server))];
    },
    responded(server) {
      aside.delete(serverText(server));
    },
    failed(server) {
      aside.set(serverText(server), ticks() + asideMs);
    },
  };
}

/** An address and a port as one text. */
export const serverText = ({ address, port }: ServerAddress): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

/** How long the list of name servers is used before it is read again. */
const rereadMs = 5000;
/** How long a server that did not respond is asked last. */
const asideMs = 10_000;
