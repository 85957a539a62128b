import { expect, test } from "vitest";
import { type KnownState, stateChanges } from "./state-changes.ts";

type States = Readonly<Record<string, KnownState["state"]>>;

const known = (states: States) =>
  new Map(Object.entries(states).map(([id, state]) => [id, { podUid: `pod-${id}`, state }]));

test.each<[States, States, readonly string[]]>([
  [{}, {}, []],
  [{}, { a: "created" }, ["a created"]],
  [{}, { a: "running" }, ["a created", "a started"]],
  [{}, { a: "exited" }, ["a created", "a started", "a stopped"]],
  [{ a: "created" }, { a: "running" }, ["a started"]],
  [{ a: "created" }, { a: "exited" }, ["a started", "a stopped"]],
  [{ a: "running" }, { a: "running" }, []],
  [{ a: "running" }, { a: "exited" }, ["a stopped"]],
  [{ a: "running" }, {}, ["a stopped", "a deleted"]],
  [{ a: "exited" }, {}, ["a deleted"]],
  [{ a: "exited" }, { b: "created" }, ["a deleted", "b created"]],
])("stateChanges: %j to %j", (before, after, expected) => {
  const events = stateChanges(known(before), known(after), 5);
  expect(events.map(({ containerId, type }) => `${containerId} ${type}`)).toEqual(expected);
  for (const { containerId, podUid, at } of events)
    expect([podUid, at]).toEqual([`pod-${containerId}`, 5]);
});
