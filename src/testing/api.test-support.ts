import { admin, openServer } from "../apiserver/in-process.test-support.ts";
import { SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { type Client, createClient } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { inProcessTransport } from "../cluster/in-process/in-process-transport.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";

/** An API server in this process on a virtual clock, and clients of it. */
export interface TestApi {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly transport: Transport;
  readonly client: Client;
  /** Advances the clock by milliseconds until a promise settles. */
  finished<T>(happening: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Starts an API server for one test. */
export async function openTestApi(seed = 1): Promise<TestApi> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1), { settle });
  const server = await openServer(clock, new MemoryStore(clock));
  const transport = inProcessTransport(server.handle, admin);
  return {
    clock,
    random: new SeededRandom(seed),
    transport,
    client: createClient(transport, { clock }),
    async finished(happening) {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      happening.then(over, over);
      for (let ms = 0; !isOver && ms < 10_000; ms++) await clock.advance(1);
      return happening;
    },
    close: async () => void (await server.close()),
  };
}

/** Long enough for the longest chain of requests that one timer starts. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    for (let i = 0; i < 200; i++) await undefined;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
