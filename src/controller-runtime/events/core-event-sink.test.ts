import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { noLog } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import type { Transport } from "../../client/transport.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { createCoreEventSink } from "./core-event-sink.ts";
import type { EventSink } from "./event-recorder.ts";

let api: TestApi;
let calls: string[];
let sink: EventSink;
let object: KubernetesObject;
beforeEach(async () => {
  api = await openTestApi();
  calls = [];
  object = await api.client.create(ConfigMap, { metadata: { name: "a" } });
  const transport: Transport = (request) => {
    calls.push(request.method);
    return api.transport(request);
  };
  const { clock, random } = api;
  sink = createCoreEventSink({
    client: createClient(transport, { clock }),
    clock,
    random,
    log: noLog,
  });
});
afterEach(async () => {
  await api.finished(sink.close(0));
  await api.close();
});

const record = (note = "made a thing", rest: object = {}): void =>
  sink.recorder("web").record(object, { type: "Normal", reason: "Made", note, ...rest });

const events = async (): Promise<readonly Event[]> =>
  (await api.client.list(Event, { namespace: "default" })).items;

test("an event has exactly the fields that upstream's controllers write", async () => {
  record();
  await api.clock.advance(10);
  const [event] = await events();
  const { metadata, ...rest } = event as Event;
  const { uid, resourceVersion } = object.metadata;
  expect(metadata.name).toMatch(/^a\.[0-9a-f]{16}$/);
  expect(rest).toEqual({
    apiVersion: "v1",
    kind: "Event",
    involvedObject: {
      kind: "ConfigMap",
      namespace: "default",
      name: "a",
      uid,
      apiVersion: "v1",
      resourceVersion,
    },
    reason: "Made",
    message: "made a thing",
    source: { component: "web" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    count: 1,
    type: "Normal",
    eventTime: null,
    reportingComponent: "web",
    reportingInstance: "",
  });
});

test("the same event is counted each time", async () => {
  for (let i = 0; i < 5; i++) {
    record();
    await api.clock.advance(1_000);
  }
  expect(calls).toEqual(["POST", "PATCH", "PATCH", "PATCH", "PATCH"]);
  expect(await events()).toMatchObject([
    {
      count: 5,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:04Z",
    },
  ]);
});

test("events that differ only in their messages are combined from the tenth on, with the last message", async () => {
  for (let i = 1; i <= 14; i++) record(`thing ${i}`);
  await api.clock.advance(10);
  const all = await events();
  expect(all.map(({ message }) => message).sort()).toEqual([
    "(combined from similar events): thing 14",
    ...Array.from({ length: 9 }, (_, i) => `thing ${i + 1}`),
  ]);
  expect(all.find(({ message }) => message?.startsWith("("))).toMatchObject({ count: 5 });
});

test("a source writes 25 times about an object, and then once in five minutes; events that are not written are counted", async () => {
  for (let i = 0; i < 40; i++) record();
  await api.clock.advance(10);
  expect(await events()).toMatchObject([{ count: 25 }]);
  await api.clock.advance(5 * 60_000);
  record("x", { type: "Warning" });
  record();
  await api.clock.advance(10);
  expect((await events()).map(({ count }) => count)).toEqual([25, 1]);
  await api.clock.advance(5 * 60_000);
  record();
  await api.clock.advance(10);
  expect((await events()).map(({ count }) => count)).toEqual([42, 1]);
});

test("an event that the server has deleted is created again, with its count", async () => {
  record();
  await api.clock.advance(10);
  for (const { metadata } of await events())
    await api.client.delete(Event, { name: metadata.name ?? "", namespace: "default" });
  record();
  await api.clock.advance(10);
  expect(await events()).toMatchObject([{ count: 2 }]);
});

test("close writes all queued events, and later ones are dropped", async () => {
  record();
  record("other", { reason: "Other" });
  await api.finished(sink.close(10_000));
  record("late", { reason: "Late" });
  await api.clock.advance(10);
  expect((await events()).map(({ reason }) => reason)).toEqual(["Made", "Other"]);
});
