import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";

const hour = 3_600_000;
const events = "/api/v1/namespaces/default/events";

test.each([
  ["an hour by default", {}, [200, 404, 404]],
  ["the configured time", { eventTtlMs: 2 * hour }, [200, 200, 404]],
  ["for ever", { eventTtlMs: 0 }, [200, 200, 200]],
])("events are kept %s; other objects stay", async (_, options, statuses) => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const server = await openServer(clock, undefined, options);
  const involvedObject = { kind: "Namespace", name: "default", namespace: "default" };
  const body = { metadata: { name: "e" }, involvedObject, reason: "R", message: "m" };
  expect((await send(server, { method: "POST", path: events, body })).status).toBe(201);
  const seen: number[] = [];
  for (const wait of [hour - 1000, hour, hour]) {
    await clock.advance(wait);
    seen.push((await send(server, { path: `${events}/e` })).status);
  }
  expect(seen).toEqual(statuses);
  expect((await send(server, { path: "/api/v1/namespaces/default" })).status).toBe(200);
  server.close();
});
