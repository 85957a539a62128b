import { expect, test } from "vitest";
import { CycleState, stateKey } from "./cycle-state.ts";

test("CycleState: changes in a clone do not affect the original, if the value is cloneable", () => {
  const counter = stateKey<{ count: number; clone(): unknown }>("counter");
  const constant = stateKey<{ name: string }>("constant");
  const make = (count: number) => ({ count, clone: () => make(count) });
  const state = new CycleState();
  const shared = { name: "shared" };
  state.write(counter, make(1));
  state.write(constant, shared);
  state.skipFilter.add("A");
  const copy = state.clone();
  const own = copy.read(counter);
  if (own) own.count = 2;
  expect(state.read(counter)?.count).toBe(1);
  expect(copy.read(constant)).toBe(shared);
  expect(copy.skipFilter.has("A")).toBe(true);
  expect(state.read(stateKey("another"))).toBeUndefined();
});
