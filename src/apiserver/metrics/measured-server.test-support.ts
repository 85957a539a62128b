import { onTestFinished } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send, type TestRequest } from "../in-process.test-support.ts";
import { GatedStore } from "../request/load/gated-store.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";

/** A server whose metrics are read; it is closed with the test. */
export async function openMeasured(options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const store = new GatedStore(clock);
  const server = await openServer(clock, store, options);
  onTestFinished(() => server.close());
  const call = (request: TestRequest) => send(server, request);
  /** The values of a metric, by its labels. */
  const read = async (name: string): Promise<Record<string, number>> => {
    const { text } = await call({ path: "/metrics" });
    const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`));
    return Object.fromEntries(
      lines.map((line) => {
        const [, labels = "", value] = /^[^{]*\{(.*)\} (\S+)$/.exec(line) ?? [];
        return [labels, Number(value)];
      }),
    );
  };
  return { clock, store, server, call, read };
}
