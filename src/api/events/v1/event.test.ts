import { expect, test } from "vitest";
import { updated } from "../../kind.test-support.ts";
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

test("Event update: what may not change is shown with all its fields", () => {
  const event = {
    metadata: { namespace: "default" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "a/b",
    reportingInstance: "c",
    action: "d",
    reason: "e",
    type: "Normal",
    regarding: { kind: "Node", name: "n" },
  };
  const related = { kind: "Pod", name: "p" };
  const deprecatedSource = { host: "h" };
  expect(updated(Event, event, { ...event, related, deprecatedSource })).toEqual([
    'source: Invalid value: {"Component":"","Host":"h"}: field is immutable',
    'related: Invalid value: {"Kind":"Pod","Namespace":"","Name":"p","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
  ]);
});
