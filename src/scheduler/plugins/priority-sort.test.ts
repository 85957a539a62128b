import { expect, test } from "vitest";
import { aPodInfo, pluginOf } from "../framework/framework.test-support.ts";
import { queuedPod } from "../framework/queued-pod.ts";
import { prioritySort } from "./priority-sort.ts";

test("PrioritySort: by descending priority, then by waiting time", () => {
  const { less } = pluginOf(prioritySort);
  const pod = (priority: number, at: number) =>
    queuedPod(aPodInfo("p", { spec: { priority } }), at);
  expect(less?.(pod(2, 9), pod(1, 0))).toBe(true);
  expect(less?.(pod(1, 0), pod(2, 9))).toBe(false);
  expect(less?.(pod(1, 1), pod(1, 2))).toBe(true);
  expect(less?.(pod(1, 2), pod(1, 2))).toBe(false);
});
