import { expect, test } from "vitest";
import { createManager } from "../../../controller-runtime/manager/manager.ts";
import { startCluster } from "../../../testing/start-cluster.ts";
import { managerProbes } from "./manager-probes.ts";

test("a manager serves probes over HTTP while it runs, and not afterwards", async () => {
  const cluster = await startCluster();
  const manager = createManager(cluster);
  const stop = new AbortController();
  const listening = new Promise<number>((onListening) =>
    manager.add(managerProbes(manager, { port: 0, onListening })),
  );
  const running = manager.run({ signal: stop.signal });
  const at = `http://127.0.0.1:${await listening}`;
  const get = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`${at}${path}`);
    return [response.status, await response.text()];
  };
  expect(await get("/healthz")).toEqual([200, "ok"]);
  expect((await get("/nothing"))[0]).toBe(404);
  expect((await fetch(`${at}/healthz`, { method: "POST" })).status).toBe(405);
  expect((await get("/metrics"))[0]).toBe(200);
  stop.abort();
  await running;
  await expect(fetch(`${at}/healthz`)).rejects.toThrow();
  await cluster.close();
});
