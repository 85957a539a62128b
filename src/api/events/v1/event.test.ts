import { expect, test } from "vitest";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { Event, fromCoreEvent, toCoreEvent } from "./event.ts";

for (const recorded of recordedCases("events.events"))
  test(`Event of events.k8s.io: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Event as never, recorded);
  });

test("toCoreEvent: the way there and back changes nothing", () => {
  const event: Event = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "e" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" },
    reportingController: "a/b",
    reportingInstance: "c",
    action: "d",
    reason: "e",
    regarding: { kind: "Pod", name: "p" },
    related: { kind: "Node", name: "n" },
    note: "f",
    type: "Normal",
    deprecatedSource: { component: "g" },
    deprecatedFirstTimestamp: "2026-01-01T00:00:02Z",
    deprecatedLastTimestamp: "2026-01-01T00:00:03Z",
    deprecatedCount: 4,
  };
  expect(fromCoreEvent(toCoreEvent(event))).toEqual(event);
});
