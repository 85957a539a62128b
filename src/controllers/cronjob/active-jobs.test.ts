import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import { excessHistory, noticeForgotten, noticeJobs } from "./active-jobs.ts";

/** A job that has ended, or runs: its start is a minute. */
const job = (name: string, type?: "Complete" | "Failed", start?: number): Job =>
  ({
    metadata: { name, namespace: "ns", uid: name },
    status: {
      ...(start !== undefined && { startTime: `2026-01-01T00:0${start}:00Z` }),
      ...(type && { conditions: [{ type, status: "True" }] }),
      ...(type === "Complete" && { completionTime: `2026-01-01T01:0${start ?? 0}:00Z` }),
    },
  }) as unknown as Job;

const uids = (...names: string[]) => names.map((uid) => ({ uid }));

each<[string, string[], Job[], object, string[]]>([
  ["a job that runs stays", ["a"], [job("a")], { active: uids("a") }, []],
  [
    "one that has ended goes",
    ["a", "b"],
    [job("a", "Failed"), job("b")],
    { active: uids("b") },
    ["SawCompletedJob"],
  ],
  [
    "the last success is kept",
    ["a", "b"],
    [job("a", "Complete", 3), job("b", "Complete", 2)],
    { active: [], lastSuccessfulTime: "2026-01-01T01:03:00Z" },
    ["SawCompletedJob", "SawCompletedJob"],
  ],
  [
    "a success that is not listed counts",
    [],
    [job("a", "Complete", 3)],
    { active: [], lastSuccessfulTime: "2026-01-01T01:03:00Z" },
    [],
  ],
  [
    "one that runs and is not listed is unexpected",
    [],
    [job("a")],
    { active: [] },
    ["UnexpectedJob"],
  ],
])("noticeJobs: %s", (_, active, jobs, status, reasons) => {
  const change = noticeJobs({ active: uids(...active) }, jobs);
  expect([change.status, change.events.map(({ reason }) => reason)]).toEqual([status, reasons]);
});

each<[limit: number | undefined, string[]]>([
  [undefined, []],
  [9, []],
  [2, ["c"]],
  [0, ["c", "a", "b"]],
])("excessHistory: of a limit of %j, %j are too many", (limit, names) => {
  const jobs = [
    job("b", "Failed"),
    job("a", "Failed", 2),
    job("c", "Failed", 1),
    job("d"),
    job("e", "Complete", 1),
  ];
  expect(excessHistory(jobs, "Failed", limit).map(({ metadata }) => metadata.name)).toEqual(names);
});

const scheduled = (name: string, time: string, type?: "Complete"): Job => {
  const made = job(name, type);
  const annotations = { "batch.kubernetes.io/cronjob-scheduled-timestamp": time };
  return { ...made, metadata: { ...made.metadata, annotations } };
};

each<[string, Job[], names: string[], last: string]>([
  ["a job that users made", [job("x")], [], "2026-01-01T00:01:00Z"],
  ["one that is known", [scheduled("x", "2026-01-01T01:01:00+01:00")], [], "2026-01-01T00:01:00Z"],
  ["one that runs", [scheduled("x", "2026-01-01T00:02:00Z")], ["x"], "2026-01-01T00:02:00Z"],
  [
    "several, of which one has ended",
    [scheduled("y", "2026-01-01T00:03:00Z"), scheduled("x", "2026-01-01T00:02:00Z", "Complete")],
    ["y"],
    "2026-01-01T00:03:00Z",
  ],
])("noticeForgotten: %s", (_, jobs, names, lastScheduleTime) => {
  const before = { lastScheduleTime: "2026-01-01T00:01:00Z" };
  const status = noticeForgotten({ status: before }, jobs);
  expect(status.lastScheduleTime).toBe(lastScheduleTime);
  expect((status.active ?? []).map(({ uid }) => uid)).toEqual(names);
});
