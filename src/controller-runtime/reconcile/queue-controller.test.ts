import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Log, noLog } from "../../base/log.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { createManager } from "../manager/manager.ts";
import { type QueueControllerDefinition, queueController } from "./queue-controller.ts";

/** Runs a controller in a cluster on a virtual clock; its lines are in the order in which things happened. */
async function started(setUp: (lines: string[]) => QueueControllerDefinition["setUp"]) {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const lines: string[] = [];
  const log: Log = {
    ...noLog,
    info: (message, fields) => lines.push(`info: ${message} ${fields?.key}`),
    error: (message, _, fields) => lines.push(`error: ${message} ${fields?.key}`),
    with: () => log,
  };
  for (const name of ["a", "b"]) await cluster.client.create(ConfigMap, { metadata: { name } });
  const manager = createManager({ ...cluster, log });
  manager.add(queueController({ name: "test", setUp: setUp(lines) }));
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await cluster.settled();
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    await cluster.close();
  };
  return { ...cluster, lines, end };
}

test("queueController: workers start once informers have synced, and stop before onEnd", async () => {
  const { client, settled, lines, end } = await started((lines) => (ctx) => {
    const maps = ctx.informer(ConfigMap, { namespace: "default" });
    const queue = ctx.queue({
      name: "maps",
      workers: 1,
      failure: "failed",
      async work(name) {
        lines.push(`${name} ${maps.get({ namespace: "default", name }) ? "exists" : "is gone"}`);
      },
    });
    queue.add("a");
    ctx.onSynced(() => {
      lines.push("synced");
      const enqueue = ({ metadata }: ConfigMap): void => queue.add(metadata.name ?? "");
      maps.addHandler({ deleted: enqueue });
    });
    ctx.onStop(() => lines.push("stop"));
    ctx.onEnd(() => lines.push("end"));
  });
  expect(lines).toEqual(["synced", "a exists"]);
  await client.delete(ConfigMap, { name: "b" });
  await settled();
  await end();
  expect(lines).toEqual(["synced", "a exists", "b is gone", "stop", "end"]);
});

test("queueController: failures are retried, and only faults are logged as errors", async () => {
  const { advance, lines, end } = await started((lines) => (ctx) => {
    const errors = [
      new StatusError("Conflict", "the object has been modified"),
      new StatusError("NotFound", 'configmaps "a" not found'),
      new Error("broken"),
    ];
    const queue = ctx.queue({
      name: "maps",
      workers: 1,
      failure: "writing a map failed",
      async work(name) {
        const error = errors.shift();
        if (error) throw error;
        lines.push(`${name} is done`);
      },
    });
    ctx.onSynced(() => queue.add("a"));
  });
  await advance("1s");
  expect(lines).toEqual([
    "info: writing a map failed a",
    "info: writing a map failed a",
    "error: writing a map failed a",
    "a is done",
  ]);
  await end();
});

test("queueController: periodic work is repeated although it fails, background work ends with the rest", async () => {
  const { advance, lines, end } = await started((lines) => (ctx) => {
    let count = 0;
    ctx.every(1000, {
      failure: "counting failed",
      work() {
        lines.push(`${++count}`);
        if (count === 1) throw new Error("no");
      },
    });
    ctx.every(1500, { failure: "failed", startsAtOnce: true, work: () => void lines.push("now") });
    ctx.background(
      () =>
        new Promise((resolve) =>
          ctx.signal.addEventListener("abort", () => {
            lines.push("background ends");
            resolve();
          }),
        ),
    );
  });
  expect(lines).toEqual(["now"]);
  await advance("2200ms");
  await end();
  expect(lines).toEqual([
    "now",
    "1",
    "error: counting failed undefined",
    "now",
    "2",
    "background ends",
  ]);
});
