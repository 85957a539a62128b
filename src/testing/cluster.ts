import type { ApiRequest, ApiResponse } from "../apiserver/request.ts";
import type { ApiServer } from "../apiserver/server.ts";
import type { ForkOptions } from "../apiserver/server-options.ts";
import type { Clock } from "../base/clock.ts";
import { seededEntropy } from "../base/entropy.ts";
import type { Random, SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { type Client, createClient } from "../client/client.ts";
import type { Impersonation } from "../client/impersonation.ts";
import { type Transport, TransportError } from "../client/transport.ts";
import { inProcessTransport } from "../cluster/in-process-transport.ts";
import { parseDuration } from "../schema/duration.ts";
import type { MemoryStore } from "../store/memory/memory-store.ts";
import { atRest } from "./at-rest.ts";
import { RealTime } from "./real-time.ts";

/** A cluster in a test: the real API server in the same process. */
export interface Cluster extends AsyncDisposable {
  /** May do everything. */
  readonly client: Client;
  /** What the client calls through. */
  readonly transport: Transport;
  /** The cluster's time, for whatever takes part in it. */
  readonly clock: Clock;
  /** Chance for whatever takes part in it: it repeats itself from the seed. */
  readonly random: Random;
  readonly server: ApiServer;
  /** A client in the name of another, by name alone or with groups and more. */
  as(user: string | Impersonation): Client;
  /** A cluster with all that this one has, which goes its own way from here. */
  fork(): Cluster;
  /**
   * Lets a virtual clock go on, by milliseconds or as far as a text such as `90s` or `24h` says; what
   * falls due on the way happens at its time, and comes to rest before the next.
   */
  advance(duration: number | string): Promise<void>;
  /** Resolves when nothing is left to do but to wait for time. */
  settled(): Promise<void>;
  /** Ends it, and all that waits for it. */
  close(): Promise<void>;
}

/** What a cluster is made of. */
export interface ClusterParts {
  /** What it begins with. */
  readonly from: { readonly server: ApiServer; readonly store: MemoryStore };
  /** A virtual clock that shows this time, and none but the machine's if not given. */
  readonly now: number | undefined;
  /** Where the server has chance from, and where others have it. */
  readonly random: { readonly server: SeededRandom; readonly others: SeededRandom };
  readonly namespace: string | undefined;
  /** What the server is told that differs from the one it begins with. */
  readonly options: Omit<ForkOptions, "store" | "clock" | "entropy" | "random">;
}

/** A cluster that begins where another is. */
export function createCluster(parts: ClusterParts): Cluster {
  const { from, now, random, namespace, options } = parts;
  let activity = 0;
  const settle = (): Promise<void> => atRest(() => activity);
  const clock = now === undefined ? new RealTime() : new VirtualClock(now, { settle });
  const store = from.store.fork(clock);
  const server = from.server.fork({
    ...options,
    store,
    clock,
    random: random.server,
    entropy: seededEntropy(random.server),
  });
  const handle = async (request: ApiRequest): Promise<ApiResponse> => {
    activity++;
    const response = await server.handle(request);
    activity++;
    return response;
  };
  const open = inProcessTransport(handle, administrator);
  let isClosed = false;
  const transport: Transport = async (request) => {
    if (isClosed) throw new TransportError("the cluster is closed");
    return open(request);
  };
  const client = createClient(transport, { clock, namespace });
  const close = async (): Promise<void> => {
    isClosed = true;
    server.close();
    await store.close();
    if (clock instanceof RealTime) clock.close();
  };
  return {
    client,
    transport,
    clock,
    random: random.others,
    server,
    as: (user) => client.as(typeof user === "string" ? { user } : user),
    fork: () =>
      createCluster({
        ...parts,
        from: { server, store },
        now: now === undefined ? undefined : clock.now(),
        random: { server: random.server.fork(), others: random.others.fork() },
      }),
    async advance(duration) {
      if (clock instanceof RealTime)
        throw new TypeError(
          'only a virtual clock can be advanced: startCluster({ clock: "virtual" })',
        );
      await clock.advance(milliseconds(duration));
    },
    settled: settle,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const administrator = { commonName: "kubernetes-admin", organizations: ["system:masters"] };

function milliseconds(duration: number | string): number {
  const ms = typeof duration === "number" ? duration : Number(parseDuration(duration)) / 1e6;
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  throw new RangeError(`time does not go on by ${duration}`);
}
