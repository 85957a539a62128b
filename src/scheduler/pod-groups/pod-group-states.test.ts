import { expect, test } from "vitest";
import { aPod } from "../framework/framework.test-support.ts";
import { PodGroupStates } from "./pod-group-states.ts";

const pod = (name: string, nodeName?: string, podGroupName: string | undefined = "g") =>
  aPod(name, { spec: { nodeName, ...(podGroupName && { schedulingGroup: { podGroupName } }) } });

/** The pods of the group `default/g`: all, scheduled, unscheduled, assumed. */
const show = (states: PodGroupStates) => {
  const state = states.get("default/g");
  if (!state) return undefined;
  const names = state.unscheduled().map(({ metadata }) => metadata.name);
  return [state.podCount, state.scheduledCount, names.join(), state.assumed().join()];
};

test("PodGroupStates: pods of a group as they are scheduled", () => {
  const states = new PodGroupStates();
  expect(show(states)).toBeUndefined();
  states.set(pod("a"));
  states.set(pod("b"));
  states.set(pod("elsewhere", undefined, "h"));
  states.set(pod("alone", undefined, ""));
  expect(show(states)).toEqual([2, 0, "a,b", ""]);
  states.assume(pod("a", "n"));
  expect(show(states)).toEqual([2, 1, "b", "a"]);
  states.set(pod("a"));
  expect(show(states)).toEqual([2, 1, "b", "a"]);
  states.forget(pod("a", "n"));
  expect(show(states)).toEqual([2, 0, "a,b", ""]);
  states.assume(pod("a", "n"));
  states.set(pod("a", "n"));
  expect(show(states)).toEqual([2, 1, "b", ""]);
  states.forget(pod("a", "n"));
  states.assume(pod("gone", "n"));
  expect(show(states)).toEqual([2, 1, "b", ""]);
  states.remove(pod("a"));
  states.remove(pod("b"));
  expect(show(states)).toBeUndefined();
});
