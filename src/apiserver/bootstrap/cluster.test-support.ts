import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/store.ts";
import { openServer, send, type TestRequest } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import type { ApiServerOptions } from "../server-options.ts";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of all kinds
  readonly body: any;
}

/** An API server in this process, with short functions to send requests. */
export interface TestCluster {
  readonly server: ApiServer;
  readonly store: Store;
  readonly clock: VirtualClock;
  /** The response to a request, or to a GET of a path. */
  ask(request: TestRequest | string): Promise<Answer>;
  /** Merges a patch into an object. */
  merge(path: string, body: object): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** The names of the objects in a list. */
  names(path: string): Promise<string[]>;
  /** Repeats a request until a condition holds, a limited number of times. */
  until(path: string, holds: (answer: Answer) => boolean): Promise<Answer>;
  /** Waits until all pending work is done. */
  settle(): Promise<void>;
}

export async function openCluster(
  options: Partial<ApiServerOptions> = {},
  clock = new VirtualClock(Date.UTC(2026, 0, 1)),
  store: Store = new MemoryStore(clock),
): Promise<TestCluster> {
  const server = await openServer(clock, store, options);
  const ask: TestCluster["ask"] = async (request) => {
    const { status, text } = await send(
      server,
      typeof request === "string" ? { path: request } : request,
    );
    return { status, body: /^[{[]/.test(text) ? JSON.parse(text) : text };
  };
  return {
    server,
    store,
    clock,
    ask,
    merge: (path, body) =>
      ask({
        method: "PATCH",
        path,
        headers: { "content-type": "application/merge-patch+json" },
        body,
      }),
    remove: (path) => ask({ method: "DELETE", path }),
    async names(path) {
      const { body } = await ask(path);
      return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    },
    async until(path, holds) {
      for (let turn = 0; ; turn++) {
        const answer = await ask(path);
        if (holds(answer)) return answer;
        if (turn > 200) throw new Error(`${path} stays ${JSON.stringify(answer.body)}`);
      }
    },
    async settle() {
      for (let before = -1; before !== (await store.currentRevision()); ) {
        before = await store.currentRevision();
        for (let turn = 0; turn < 500; turn++) await Promise.resolve();
      }
    },
  };
}

/** A certificate in PEM form, as Go writes it. */
export const certificatePem = (der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
};
