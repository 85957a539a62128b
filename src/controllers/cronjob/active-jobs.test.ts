import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import { excessHistory, noticeJobs } from "./active-jobs.ts";

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
