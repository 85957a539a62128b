import { expect, test } from "vitest";
import { managementOf, type RegistrationState, registrationStep } from "./registration-step.ts";

const spec = { version: "v1" };
const other = { version: "v2" };

const desired = {
  none: undefined,
  onstart: { management: "onstart", spec },
  always: { management: "true", spec },
} as const;
const current = {
  "not there": { current: undefined, existedAtStart: false },
  unmanaged: { current: { management: undefined, spec: other }, existedAtStart: true },
  "onstart, new": { current: { management: "onstart", spec: other }, existedAtStart: false },
  "onstart, was there": { current: { management: "onstart", spec: other }, existedAtStart: true },
  always: { current: { management: "true", spec: other }, existedAtStart: false },
} as const;

type Cell = ReturnType<typeof registrationStep>;
/** Each cell has the first step, and the step after the first synchronization. */
const table: readonly [keyof typeof current, keyof typeof desired, first: Cell, later: Cell][] = [
  ["not there", "none", undefined, undefined],
  ["not there", "onstart", "create", undefined],
  ["not there", "always", "create", "create"],
  ["unmanaged", "none", undefined, undefined],
  ["unmanaged", "onstart", undefined, undefined],
  ["unmanaged", "always", undefined, undefined],
  ["onstart, new", "none", undefined, undefined],
  ["onstart, new", "onstart", undefined, undefined],
  ["onstart, new", "always", undefined, undefined],
  ["onstart, was there", "none", "delete", undefined],
  ["onstart, was there", "onstart", "update", undefined],
  ["onstart, was there", "always", "update", undefined],
  ["always", "none", "delete", "delete"],
  ["always", "onstart", "update", undefined],
  ["always", "always", "update", "update"],
];

test.each(table)("registration: of what is %s and wanted %s", (is, wanted, first, later) => {
  const state = (hasSynced: boolean): RegistrationState => ({
    ...current[is],
    desired: desired[wanted],
    hasSynced,
  });
  expect([registrationStep(state(false)), registrationStep(state(true))]).toEqual([first, later]);
});

test("registration: a correct one is not changed", () => {
  const state: RegistrationState = {
    desired: desired.always,
    current: { management: "true", spec: { ...spec } },
    existedAtStart: true,
    hasSynced: false,
  };
  expect(registrationStep(state)).toBeUndefined();
});

test("registration: only two values of the label mean that it is managed", () => {
  const label = "kube-aggregator.kubernetes.io/automanaged";
  const values = ["onstart", "true", "false", ""].map((value) => managementOf({ [label]: value }));
  expect([...values, managementOf({}), managementOf(undefined)]).toEqual([
    "onstart",
    "true",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
