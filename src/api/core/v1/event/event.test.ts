import { expect, test } from "vitest";
import { expectRecorded, recordedCases } from "../../../recorded.test-support.ts";
import { Event } from "./event.ts";

for (const recorded of recordedCases("events"))
  test(`Event: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Event as never, recorded);
  });

const event: Event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "p.1", namespace: "n" },
  involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.containers{c}" },
  source: { component: "kubelet", host: "n1" },
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:01:00Z",
  eventTime: "",
  message: " done\n",
  reason: "Pulled",
  type: "Normal",
  reportingComponent: "",
  reportingInstance: "",
};
const now = Date.parse("2026-01-01T00:02:00Z");
const row = (object: Event) => Event.columns.map(({ cell }) => cell(object as never, { now }));

test("Event: a row tells when it was seen, of what, and by whom", () => {
  expect(row(event)).toEqual([
    "60s",
    "Normal",
    "Pulled",
    "pod/p",
    "spec.containers{c}",
    "kubelet, n1",
    "done",
    "2m",
    1,
    "p.1",
  ]);
});

test("Event: a series says how often, and when last", () => {
  const series = { count: 7, lastObservedTime: "2026-01-01T00:01:58.000000Z" };
  const cells = row({ ...event, series, source: {}, reportingComponent: "scheduler" });
  expect([cells[0], cells[5], cells[8]]).toEqual(["2s", "scheduler", 7]);
});

test("Event: the source that is selected on may be the reporting component", () => {
  const source = Event.selectableFields.source as (object: Event) => string;
  expect([source(event), source({ ...event, source: {}, reportingComponent: "a" })]).toEqual([
    "kubelet",
    "a",
  ]);
});
