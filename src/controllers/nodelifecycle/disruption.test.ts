import { expect, test } from "vitest";
import { settingValues } from "../controller-setting.ts";
import { planDisruption } from "./disruption.ts";
import { nodeLifecycleSettings } from "./node-lifecycle-settings.ts";
import type { ZoneState } from "./zone-state.ts";

const defaults = settingValues(nodeLifecycleSettings);

interface Row {
  readonly name: string;
  readonly before: Record<string, ZoneState>;
  /** Ready nodes and others, by zone. */
  readonly zones: Record<string, readonly [number, number]>;
  readonly change?: "entered" | "left";
  readonly states: Record<string, ZoneState>;
  readonly rates: Record<string, number>;
}

test.each<Row>([
  {
    name: "a new healthy zone is normal",
    before: { a: "Initial" },
    zones: { a: [3, 0] },
    states: { a: "Normal" },
    rates: { a: 0.1 },
  },
  {
    name: "an unknown zone counts as new",
    before: {},
    zones: { a: [3, 0] },
    states: { a: "Normal" },
    rates: { a: 0.1 },
  },
  {
    name: "without a change no rate changes",
    before: { a: "Normal", b: "PartialDisruption" },
    zones: { a: [3, 0], b: [1, 5] },
    states: { a: "Normal", b: "PartialDisruption" },
    rates: {},
  },
  {
    name: "one zone of two without a ready node goes on at the usual rate",
    before: { a: "Normal", b: "Normal" },
    zones: { a: [3, 0], b: [0, 3] },
    states: { a: "Normal", b: "FullDisruption" },
    rates: { b: 0.1 },
  },
  {
    name: "a small zone with many that are not ready stops",
    before: { a: "Normal" },
    zones: { a: [4, 6] },
    states: { a: "PartialDisruption" },
    rates: { a: 0 },
  },
  {
    name: "a large zone continues slowly",
    before: { a: "Normal" },
    zones: { a: [40, 60] },
    states: { a: "PartialDisruption" },
    rates: { a: 0.01 },
  },
  {
    name: "when no zone has a ready node any more, all stop",
    before: { a: "Normal", b: "FullDisruption" },
    zones: { a: [0, 3], b: [0, 3] },
    change: "entered",
    states: { a: "FullDisruption", b: "FullDisruption" },
    rates: { a: 0, b: 0 },
  },
  {
    name: "so they do when they are first seen without one",
    before: { a: "Initial" },
    zones: { a: [0, 3] },
    change: "entered",
    states: { a: "FullDisruption" },
    rates: { a: 0 },
  },
  {
    name: "as long as it stays so, nothing changes",
    before: { a: "FullDisruption" },
    zones: { a: [0, 3] },
    states: { a: "FullDisruption" },
    rates: {},
  },
  {
    name: "when one node is ready again, all zones have their rates anew",
    before: { a: "FullDisruption", b: "FullDisruption" },
    zones: { a: [1, 2], b: [0, 3] },
    change: "left",
    states: { a: "Normal", b: "FullDisruption" },
    rates: { a: 0.1, b: 0.1 },
  },
  {
    name: "a zone that has no nodes any more is forgotten, and does not keep the others in disruption",
    before: { a: "FullDisruption", gone: "Normal" },
    zones: { a: [0, 3] },
    states: { a: "FullDisruption" },
    rates: {},
  },
  { name: "a cluster without nodes is in no mode", before: {}, zones: {}, states: {}, rates: {} },
])("planDisruption: $name", ({ before, zones, change = "none", states, rates }) => {
  const nodes = Object.entries(zones).map(
    ([zone, [ready, notReady]]) => [zone, { ready, notReady }] as const,
  );
  const plan = planDisruption(new Map(Object.entries(before)), new Map(nodes), defaults);
  expect({
    ...plan,
    states: Object.fromEntries(plan.states),
    rates: Object.fromEntries(plan.rates),
  }).toEqual({ change, states, rates });
});
