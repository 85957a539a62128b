import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { type Reinvocable, Reinvocation } from "./reinvocation.ts";

/** `a!`: a changes the object; `a?`: a never wants to be called again. */
const webhookOf = (step: string): Reinvocable => ({
  id: step.slice(0, 1),
  reinvocationPolicy: step.includes("?") ? "Never" : "IfNeeded",
});

function run(reinvocation: Reinvocation, steps: readonly string[], isSecond: boolean): string {
  let called = "";
  for (const step of steps) {
    const webhook = webhookOf(step);
    if (isSecond && !reinvocation.isNeeded(webhook)) continue;
    called += webhook.id;
    if (step.includes("!")) reinvocation.changed();
    reinvocation.called(webhook);
  }
  return called;
}

each<[steps: string, between: object, second: string]>([
  ["a b c", {}, ""],
  ["a b! c", {}, "a"],
  ["a! b! c", {}, "abc"],
  ["a b! c!", {}, "abc"],
  ["a? b! c!", {}, "bc"],
  ["a b c!", {}, "ab"],
  ["a b", { data: "another plugin's" }, "ab"],
  ["a? b?", { data: "another plugin's" }, ""],
])(
  "Reinvocation: after %s, and %j between the runs, these are called again: %s",
  (steps, between, second) => {
    const reinvocation = new Reinvocation();
    const object = { kind: "K" };
    run(reinvocation, steps.split(" "), false);
    reinvocation.end(object as never);
    reinvocation.begin({ ...object, ...between } as never);
    expect(run(reinvocation, steps.split(" "), true)).toBe(second);
  },
);
