import { Namespace } from "../../src/api/core/v1/namespace.ts";
import { kinds } from "../../src/api/kinds.generated.ts";
import { admin, openServer } from "../../src/apiserver/in-process.test-support.ts";
import { compactTo } from "../../src/apiserver/objects/compactor.ts";
import type { ApiServer } from "../../src/apiserver/server.ts";
import type { Clock } from "../../src/base/clock.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { createClient } from "../../src/client/client.ts";
import { namespaces } from "../../src/client/informer/informer-scenario.test-support.ts";
import type { InformerWorld } from "../../src/client/informer/informer-world.test-support.ts";
import { TransportError } from "../../src/client/transport.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";

const start = Date.UTC(2026, 0, 1);
/** A server that is there at once: of few kinds, and open to all. */
const options = {
  kinds: kinds.filter(({ kind }) => kind === "ConfigMap" || kind === "Namespace"),
  authorizationModes: ["AlwaysAllow"],
} as const;

/** What a server needs at its start is written once, and shared by all worlds. */
const pristineCluster = (async () => {
  const clock = new VirtualClock(start);
  const store = new MemoryStore(clock);
  const server = await openServer(clock, store, options);
  const client = createClient(inProcessTransport(server.handle, admin), { clock });
  for (const name of namespaces) await client.create(Namespace, { metadata: { name } });
  server.close();
  return store;
})();

/** A server in this process on the virtual clock. */
export async function inProcessWorld(): Promise<InformerWorld> {
  // All that is under way ends before the loop takes its next turn: nothing waits for the outside.
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const clock = new VirtualClock(start, { settle });
  const servers = await restartable(clock, (ms) => clock.advance(ms));
  return {
    ...servers,
    clock,
    transport: servers.direct,
    inactivityMs: 150_000,
    longestMs: 3_600_000,
    advance: (ms) => clock.advance(ms),
  };
}

/** One server after the other on a store, reached by calls of functions. */
export async function restartable(
  clock: Clock,
  advance: (ms: number) => Promise<void>,
): Promise<Pick<InformerWorld, "direct" | "restart" | "remember" | "restore" | "close"> & Serving> {
  let store = (await pristineCluster).fork(clock);
  let remembered = store;
  let server: ApiServer | undefined;
  const open = async (): Promise<void> => {
    server = await openServer(clock, store, options);
  };
  const stop = (): void => {
    server?.close();
    server = undefined;
  };
  await open();
  return {
    handle: () => server?.handle,
    direct: async (request) => {
      if (!server) throw new TransportError("connection refused");
      return await inProcessTransport(server.handle, admin)(request);
    },
    async restart({ forgets }) {
      stop();
      await advance(1000);
      if (forgets) await compactTo(store, await store.currentRevision());
      await open();
    },
    remember() {
      remembered = store.fork(clock);
    },
    async restore() {
      stop();
      store = remembered;
      await open();
    },
    async close() {
      stop();
      await store.close();
    },
  };
}

interface Serving {
  /** What answers now; undefined while there is no server. */
  handle(): ApiServer["handle"] | undefined;
}
