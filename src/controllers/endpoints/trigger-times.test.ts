import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const service = (second: number): Service =>
  ({ metadata: { name: "web", namespace: "default", creationTimestamp: at(second) } }) as never;
const pod = (name: string, second?: number): Pod =>
  ({
    metadata: { name },
    status: {
      conditions:
        second === undefined
          ? []
          : [{ type: "Ready", status: "True", lastTransitionTime: at(second) }],
    },
  }) as never;

test("TriggerTimes: the creation of the service first, then the earliest new change", () => {
  const times = new TriggerTimes();
  expect(times.see(service(1), [pod("a", 5)])).toBe(at(1));
  expect(times.see(service(1), [pod("a", 5)])).toBeUndefined();
  expect(times.see(service(1), [pod("a", 9), pod("b", 7), pod("c")])).toBe(at(7));
  expect(times.see(service(1), [pod("a", 9)])).toBeUndefined();
  expect(times.see(service(1), [pod("a", 9), pod("b", 7)])).toBe(at(7));
  expect(times.see(service(20), [pod("a", 9), pod("b", 7)])).toBe(at(20));
  times.forget({ namespace: "default", name: "web" });
  expect(times.see(service(20), [pod("a", 30)])).toBe(at(20));
});

test("withTriggerTime: sets or removes the time", () => {
  const key = "endpoints.kubernetes.io/last-change-trigger-time";
  expect(withTriggerTime({ a: "b", [key]: "old" }, "new")).toEqual({ a: "b", [key]: "new" });
  expect(withTriggerTime({ a: "b", [key]: "old" }, undefined)).toEqual({ a: "b" });
});
