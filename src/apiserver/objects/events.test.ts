import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";

const core = "/api/v1/namespaces/default/events";
const grouped = "/apis/events.k8s.io/v1/namespaces/default/events";

const event = {
  metadata: { name: "web.1" },
  involvedObject: { kind: "Pod", namespace: "default", name: "web" },
  reason: "Started",
  message: "Started container web",
  type: "Normal",
  reportingComponent: "kubelet",
  reportingInstance: "node-1",
};

async function open(options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock();
  const server = await openServer(clock, new MemoryStore(clock), options);
  const read = async (path: string) => JSON.parse((await send(server, { path })).text);
  return { clock, server, read };
}

test("an event of the core group can be read as one of events.k8s.io, and vice versa", async () => {
  const { server, read } = await open();
  await send(server, { method: "POST", path: core, body: event });
  expect(await read(`${grouped}/web.1`)).toMatchObject({
    apiVersion: "events.k8s.io/v1",
    regarding: { name: "web" },
    note: "Started container web",
    reportingController: "kubelet",
  });
  const body = {
    metadata: { name: "web.2" },
    regarding: { kind: "Pod", namespace: "default", name: "web" },
    reason: "Killing",
    action: "Killing",
    note: "Stopping container web",
    type: "Normal",
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "kubelet",
    reportingInstance: "node-1",
  };
  expect(await send(server, { method: "POST", path: grouped, body })).toMatchObject({
    status: 201,
  });
  expect(await read(`${core}/web.2`)).toMatchObject({
    apiVersion: "v1",
    involvedObject: { name: "web" },
    message: "Stopping container web",
  });
  const selected = await read(`${core}?fieldSelector=reason%3DKilling`);
  expect(selected.items).toHaveLength(1);
});

test.each([
  [undefined, 3_600_000],
  [5_000, 5_000],
])("events are forgotten in time: %s", async (eventTtlMs, after) => {
  const { clock, server, read } = await open(eventTtlMs === undefined ? {} : { eventTtlMs });
  await send(server, { method: "POST", path: core, body: event });
  await clock.advance(after - 1_000);
  expect((await read(core)).items).toHaveLength(1);
  // A change begins the time anew.
  const again = { ...event, message: "Started again" };
  await send(server, { method: "PUT", path: `${core}/web.1`, body: again });
  await clock.advance(after - 1_000);
  expect((await read(core)).items).toHaveLength(1);
  await clock.advance(2_000);
  expect((await read(core)).items).toEqual([]);
});

test("events do not expire if their time to live is 0", async () => {
  const { clock, server, read } = await open({ eventTtlMs: 0 });
  await send(server, { method: "POST", path: core, body: event });
  await clock.advance(24 * 3_600_000);
  expect((await read(core)).items).toHaveLength(1);
});
