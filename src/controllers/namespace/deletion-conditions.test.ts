import { expect, test } from "vitest";
import { type DeletionReport, deletionConditions } from "./deletion-conditions.ts";

const clock = { now: () => Date.UTC(2026, 0, 1) };
const nothing: DeletionReport = { content: [], remaining: new Map(), finalizers: new Map() };
const conditionTexts = (report: Partial<DeletionReport>): readonly string[] =>
  deletionConditions([], { ...nothing, ...report }, clock).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );

const well = [
  "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered",
  "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed",
  "NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization",
  "NamespaceContentRemaining=False ContentRemoved: All content successfully removed",
  "NamespaceFinalizersRemaining=False ContentHasNoFinalizers: All content-preserving finalizers finished",
];

test.each<readonly [string, Partial<DeletionReport>, number, string]>([
  ["nothing is wrong", {}, 0, well[0] ?? ""],
  [
    "not all is discovered",
    { discovery: "Discovery failed for some groups, 1 failing: why" },
    0,
    "NamespaceDeletionDiscoveryFailure=True DiscoveryFailed: Discovery failed for some groups, 1 failing: why",
  ],
  [
    "a version is not understood",
    { groupVersions: "unexpected GroupVersion string: a/b/c" },
    1,
    "NamespaceDeletionGroupVersionParsingFailure=True GroupVersionParsingFailed: unexpected GroupVersion string: a/b/c",
  ],
  [
    "content cannot be deleted",
    { content: ["second", "first"] },
    2,
    "NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: first, second",
  ],
  [
    "content is left",
    { remaining: new Map(Object.entries({ "services.": 2, "jobs.batch": 10 })) },
    3,
    "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: jobs.batch has 10 resource instances, services. has 2 resource instances",
  ],
  [
    "finalizers are left",
    { finalizers: new Map(Object.entries({ "b.com/x": 1, "a.com/y": 3 })) },
    4,
    "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a.com/y in 3 resource instances, b.com/x in 1 resource instances",
  ],
])("%s", (_, report, at, text) => {
  expect(conditionTexts(report)).toEqual(well.with(at, text));
});

test("other conditions are kept, and equal conditions are not changed", () => {
  const other = {
    type: "Other",
    status: "True" as const,
    lastTransitionTime: "2025-01-01T00:00:00Z",
  };
  const first = deletionConditions([other], nothing, clock);
  expect(first).toHaveLength(6);
  expect(first[0]).toBe(other);
  const later = { now: () => clock.now() + 60_000 };
  expect(deletionConditions(first, nothing, later)).toBe(first);
  const failed = deletionConditions(first, { ...nothing, content: ["why"] }, later);
  const { lastTransitionTime } = failed.find(({ type }) => /ContentFailure/.test(type)) ?? {};
  expect(lastTransitionTime).toBe("2026-01-01T00:01:00Z");
  expect(failed[1]?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
});
