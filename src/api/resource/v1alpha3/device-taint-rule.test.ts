import { expect, test } from "vitest";
import { DeviceTaintRule as Beta } from "../v1beta2/device-taint-rule.ts";
import { created, now, updated, written } from "../written.test-support.ts";
import { DeviceTaintRule } from "./device-taint-rule.ts";

const taint = { key: "a", effect: "NoSchedule" };
const earlier = "2025-01-01T00:00:00Z";

test("DeviceTaintRule: what selects devices is well formed, and the taint too", () => {
  const deviceSelector = { driver: "", pool: "a//b", device: "D" };
  const { errors } = created(DeviceTaintRule, { spec: { deviceSelector, taint: { key: "a" } } });
  expect(errors.map((error) => error.slice(0, 60))).toEqual([
    "spec.deviceSelector.driver: Required value",
    'spec.deviceSelector.pool: Invalid value: "": a lowercase RFC',
    'spec.deviceSelector.device: Invalid value: "D": a lowercase ',
    "spec.taint.effect: Required value",
  ]);
});

const times: readonly [rule: string, taint: object, timeAdded: string][] = [
  ["stays while the effect stays", { ...taint, timeAdded: earlier }, earlier],
  ["is now when the effect changes", { ...taint, effect: "None", timeAdded: earlier }, now],
  ["is now when it is left out", taint, now],
  [
    "is what the client says when it is another",
    { ...taint, effect: "None", timeAdded: "2025-02-02T00:00:00Z" },
    "2025-02-02T00:00:00Z",
  ],
];

test.each(times)("DeviceTaintRule: the time of the taint %s", (_, changed, timeAdded) => {
  const old = written(DeviceTaintRule, { spec: { taint: { ...taint, timeAdded: earlier } } });
  const { object } = updated(DeviceTaintRule, old, { body: { spec: { taint: changed } } });
  expect(object.spec.taint.timeAdded).toBe(timeAdded);
});

test("DeviceTaintRule: an effect that is no longer known may stay", () => {
  const spec = { taint: { key: "a", effect: "Gone", timeAdded: earlier } };
  const old = written(DeviceTaintRule, { spec });
  expect([
    updated(DeviceTaintRule, old, { body: { spec } }).errors,
    updated(DeviceTaintRule, old, { body: { spec: { taint: { ...spec.taint, effect: "New" } } } })
      .errors,
  ]).toEqual([
    [],
    [
      'spec.taint.effect: Unsupported value: "New": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  ]);
});

test("DeviceTaintRule: it is stored as the alpha, which an older server can read", () => {
  const rule = written(Beta, { spec: { taint } });
  expect(Beta.conversion?.toStored(rule as never)).toEqual({
    ...rule,
    apiVersion: "resource.k8s.io/v1alpha3",
  });
});
