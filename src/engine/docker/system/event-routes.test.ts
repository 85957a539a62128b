import { expect, test } from "vitest";
import { realClock } from "../../../platform/real-clock.ts";
import type { DockerRequest } from "../http/docker-route.ts";
import { DockerEvents } from "./docker-events.ts";
import { eventRoutes } from "./event-routes.ts";

test("events: a client that reads no more is disconnected before it fills the memory", async () => {
  const events = new DockerEvents(realClock);
  const [route] = eventRoutes({ events, clock: realClock });
  const request = { query: new URLSearchParams() } as DockerRequest;
  const response = await route?.handle(request);
  let written = 0;
  const sent = response?.stream?.({
    write: () => {
      written++;
      return new Promise(() => {});
    },
    signal: new AbortController().signal,
  });
  for (let i = 0; i < 20_000; i++)
    events.emit({ type: "volume", action: "create", id: String(i), attributes: {} });
  await expect(sent).rejects.toThrow("the client reads events too slowly");
  expect(written).toBeLessThanOrEqual(1);
});
