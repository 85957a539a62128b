import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { ContainerEvent } from "../runtime-types.ts";
import { runtimeMethods } from "../wire/messages/runtime-methods.ts";
import { EventSource, type EventSourceOptions } from "./event-source.ts";

/** A runtime whose event stream stays open and is silent, with one sandbox, and how often it was listed. */
function silentRuntime() {
  let sandboxState: "ready" | "notready" = "ready";
  let lists = 0;
  const client: EventSourceOptions["client"] = {
    stream: () => ({ send() {}, finish() {}, cancel() {} }),
  };
  const calls: EventSourceOptions["calls"] = {
    async call(method) {
      if ((method as unknown) === runtimeMethods.listContainers) return { containers: [] } as never;
      lists++;
      return { items: [{ id: "s", metadata: { uid: "u" }, state: sandboxState }] } as never;
    },
  };
  return {
    ...{ client, calls },
    lists: () => lists,
    exit() {
      sandboxState = "notready";
    },
  };
}

test("EventSource: an event that a live stream has lost is found by a list, which is rare", async () => {
  const clock = new VirtualClock();
  const runtime = silentRuntime();
  const source = new EventSource({ ...runtime, clock });
  onTestFinished(() => source.close());
  const events: ContainerEvent[] = [];
  source.listen((event) => events.push(event));
  await clock.advance(10_000);
  const before = runtime.lists();
  runtime.exit();
  await clock.advance(280_000);
  expect(events).toEqual([]);
  expect(runtime.lists()).toBe(before);
  await clock.advance(20_000);
  expect(events).toMatchObject([{ type: "stopped", containerId: "s", podUid: "u" }]);
  await clock.advance(3_600_000);
  expect(runtime.lists() - before).toBe(13);
});
