import { describe, expect, test } from "vitest";
import type { StorageVersionMigration } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { planMigrations, withoutRunning, withReached } from "./migration-state.ts";

const widgets = { group: "example.com", resource: "widgets" };

const migration = (
  name: string,
  held: readonly string[] = [],
  { resource = widgets, created = "2026-01-01T00:00:00Z" } = {},
) =>
  ({
    metadata: { name, creationTimestamp: created },
    spec: { resource },
    status: { conditions: held.map((type) => ({ type, status: "True" })) },
  }) as unknown as StorageVersionMigration;

const earlier = { created: "2025-01-01T00:00:00Z" };
const elsewhere = { resource: { group: "", resource: "secrets" } };

describe("planMigrations", () => {
  test.each([
    ["nothing to do", [], [], undefined],
    ["the only one begins", [migration("a")], [], "a"],
    ["the oldest begins", [migration("a"), migration("b", [], earlier)], [], "b"],
    ["of the same age, the first by name begins", [migration("b"), migration("a")], [], "a"],
    [
      "none begins beside one that runs",
      [migration("a", [], earlier), migration("b", ["Running"])],
      [],
      undefined,
    ],
    [
      "one that has succeeded ends, and the next begins",
      [migration("a", ["Running", "Succeeded"]), migration("b")],
      ["a"],
      "b",
    ],
    ["one that has failed ends", [migration("a", ["Running", "Failed"])], ["a"], undefined],
    ["one that has ended begins no more", [migration("a", ["Succeeded"])], [], undefined],
    [
      "those of other resources do not count",
      [migration("a", ["Running"], elsewhere), migration("b")],
      [],
      "b",
    ],
  ])("%s", (_, all, toEnd, toBegin) => {
    const plan = planMigrations(all, widgets);
    expect(plan.toEnd.map(({ metadata }) => metadata.name)).toEqual(toEnd);
    expect(plan.toBegin?.metadata.name).toBe(toBegin);
  });
});

const clock = new VirtualClock(Date.UTC(2026, 0, 1));

test("withReached: a condition is set once", () => {
  const condition = { type: "Failed", reason: "Why", message: "because" };
  const failed = withReached(migration("a"), condition, clock);
  expect(failed.status.conditions).toEqual([
    { ...condition, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
  ]);
  expect(withReached(failed, { ...condition, message: "again" }, clock)).toBe(failed);
});

test("withoutRunning: it has run", () => {
  expect(withoutRunning(migration("a", ["Running"]), clock).status.conditions).toEqual([
    {
      type: "Running",
      status: "False",
      reason: "MigrationCompleted",
      message: "Migration completed",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ]);
});
