import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { RotationStage } from "../../../platform/pki/rotation-stage.ts";
import { needsStep, nextStep, type RotationStep } from "./rotation-step.ts";

each<[stages: RotationStage[], step: RotationStep, of: boolean[]]>([
  [["none", "none"], "trust", [true, true]],
  [["trusted", "none"], "trust", [false, true]],
  [["trusted", "trusted"], "issue", [true, true]],
  [["issued", "issuing"], "issue", [false, true]],
  [["issued", "trusted"], "issue", [false, true]],
  [["issued", "issued"], "drop", [true, true]],
  [["none", "issued"], "drop", [false, true]],
])("nextStep: %j", (stages, step, of) => {
  expect(nextStep(stages)).toBe(step);
  expect(stages.map((stage) => needsStep(stage, step))).toEqual(of);
});
