import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { jobOf, podOf } from "../job.test-support.ts";
import { isGangCandidate, isNewJob } from "./gang-candidate.ts";

const indexed = { parallelism: 3, completions: 3, completionMode: "Indexed" };

each<[string, object, boolean]>([
  ["indexed, all at the same time", indexed, true],
  ["not indexed", { ...indexed, completionMode: "NonIndexed" }, false],
  ["one pod", { ...indexed, parallelism: 1, completions: 1 }, false],
  ["one after the other", { ...indexed, parallelism: 2 }, false],
  ["without a number of completions", { ...indexed, completions: undefined }, false],
  [
    "with a group of its own",
    {
      ...indexed,
      template: { metadata: {}, spec: { schedulingGroup: { podGroupName: "g" } } },
    },
    false,
  ],
])("isGangCandidate: %s", (_, spec, wanted) => {
  expect(isGangCandidate(jobOf(spec))).toBe(wanted);
});

each<[string, object, boolean]>([
  ["nothing has happened", {}, true],
  ["it has started", { startTime: "2026-01-01T00:00:00Z" }, false],
  ["pods have succeeded", { succeeded: 1 }, false],
  ["pods have failed", { failed: 1 }, false],
  ["it was suspended", { conditions: [{ type: "Suspended", status: "False" }] }, false],
])("isNewJob: %s", (_, status, wanted) => {
  expect(isNewJob(jobOf({}, status), [])).toBe(wanted);
  expect(isNewJob(jobOf({}, status), [podOf("p")])).toBe(false);
});
