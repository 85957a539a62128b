import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/events/v1/event.ts";
import { noLog } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { type Transport, TransportError } from "../../client/transport.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { createEventSink, type EventSink } from "./event-recorder.ts";

let api: TestApi;
let isDown: boolean;
let calls: string[];
let sink: EventSink;
let object: KubernetesObject;
beforeEach(async () => {
  api = await openTestApi();
  isDown = false;
  calls = [];
  object = await api.client.create(ConfigMap, { metadata: { name: "a" } });
  sink = newSink();
});
afterEach(async () => {
  await api.finished(sink.close(0));
  await api.close();
});

const transport: Transport = (request) => {
  calls.push(request.method);
  if (isDown) throw new TransportError("down");
  return api.transport(request);
};
const newSink = (): EventSink =>
  createEventSink({
    client: createClient(transport, { clock: api.clock }),
    clock: api.clock,
    random: api.random,
    log: noLog,
    host: "host",
  });

const record = (note = "made a thing", rest: object = {}): void =>
  sink.recorder("web").record(object, { type: "Normal", reason: "Made", note, ...rest });

const events = async (): Promise<readonly Event[]> =>
  (await api.client.list(Event, { namespace: "default" })).items;

test("an event has upstream's name and fields", async () => {
  sink.recorder("web").record(object, {
    type: "Warning",
    reason: "FailedCreate",
    action: "Creating",
    note: "no",
    related: object,
  });
  await api.clock.advance(10);
  const { uid, resourceVersion } = object.metadata;
  const reference = {
    kind: "ConfigMap",
    namespace: "default",
    name: "a",
    uid,
    apiVersion: "v1",
    resourceVersion,
  };
  expect(await events()).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]{16}$/), namespace: "default" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "web",
      reportingInstance: "web-host",
      action: "Creating",
      reason: "FailedCreate",
      regarding: reference,
      related: reference,
      note: "no",
      type: "Warning",
    },
  ]);
});

test("the same event is counted in a series: at the second, and when it ends", async () => {
  for (let i = 0; i < 5; i++) {
    record();
    await api.clock.advance(1_000);
  }
  expect(calls).toEqual(["POST", "PATCH"]);
  expect(await events()).toMatchObject([{ note: "made a thing", series: { count: 2 } }]);
  await api.clock.advance(13 * 60_000);
  expect(await events()).toMatchObject([
    { series: { count: 5, lastObservedTime: "2026-01-01T00:00:04.000000Z" } },
  ]);
  record();
  await api.clock.advance(10);
  expect((await events()).map(({ series }) => series?.count)).toEqual([5, undefined]);
});

test("events with another object, reason, type or source are separate", async () => {
  record();
  record("made a thing", { reason: "Other" });
  record("made a thing", { type: "Warning" });
  sink.recorder("other").record(object, { type: "Normal", reason: "Made", note: "made a thing" });
  await api.clock.advance(10);
  expect(await events()).toHaveLength(4);
});

test("events that differ only in their notes are combined from the tenth on", async () => {
  for (let i = 1; i <= 14; i++) record(`thing ${i}`);
  await api.clock.advance(10);
  const all = await events();
  expect(all.map(({ note }) => note)).toEqual([
    ...Array.from({ length: 9 }, (_, i) => `thing ${i + 1}`),
    "(combined from similar events): thing 10",
  ]);
  await api.finished(sink.close(10_000));
  expect((await events()).at(-1)?.series?.count).toBe(5);
});

test("similar events are new again after ten quiet minutes", async () => {
  for (let i = 1; i <= 10; i++) record(`thing ${i}`);
  await api.clock.advance(10 * 60_000 + 1);
  record("thing 99");
  await api.clock.advance(10);
  expect((await events()).some(({ note }) => note === "thing 99")).toBe(true);
});

test("a source writes 25 times about an object, and then once in five minutes", async () => {
  for (let i = 0; i < 40; i++) record("x", { reason: `Reason${i}` });
  await api.clock.advance(10);
  expect(await events()).toHaveLength(25);
  await api.clock.advance(5 * 60_000);
  for (let i = 0; i < 5; i++) record("x", { reason: `Later${i}` });
  await api.clock.advance(10);
  expect(await events()).toHaveLength(26);
  record("x", { reason: "Bad", type: "Warning" });
  await api.clock.advance(10);
  expect(await events()).toHaveLength(27);
});

test("writing an event is retried about every ten seconds while the server does not respond, without blocking", async () => {
  isDown = true;
  record();
  await api.clock.advance(35_000);
  expect(calls.length).toBeGreaterThanOrEqual(3);
  expect(await events()).toEqual([]);
  isDown = false;
  await api.clock.advance(13_000);
  expect(await events()).toHaveLength(1);
});

test("an event that the server rejects is not retried", async () => {
  record("x", { reason: "" });
  await api.clock.advance(60_000);
  expect([calls, await events()]).toEqual([["POST"], []]);
});

test("an event that the server has deleted is created again", async () => {
  record();
  await api.clock.advance(10);
  for (const { metadata } of await events())
    await api.client.delete(Event, { name: metadata.name ?? "", namespace: "default" });
  record();
  await api.clock.advance(10);
  expect(await events()).toMatchObject([{ series: { count: 2 } }]);
});

test("close writes all queued events and the counts of series", async () => {
  for (let i = 0; i < 7; i++) record();
  record("other", { reason: "Other" });
  await api.finished(sink.close(10_000));
  expect((await events()).map(({ series }) => series?.count)).toEqual([7, undefined]);
  record("late", { reason: "Late" });
  await api.clock.advance(10);
  expect(await events()).toHaveLength(2);
});

test("close waits no longer than its limit", async () => {
  isDown = true;
  record();
  const ended = sink.close(5_000);
  await api.clock.advance(5_000);
  await ended;
  isDown = false;
  await api.clock.advance(60_000);
  expect(await events()).toEqual([]);
});
