import type { RotationStage } from "../../../platform/pki/rotation-stage.ts";

/** `trust`: others are trusted beside the present ones; `issue`: they sign; `drop`: the previous ones are dropped. */
export type RotationStep = "trust" | "issue" | "drop";

/**
 * The next step of what is rotated together. Where a call was killed, some are further than others: the step that it
 * began is done for the rest.
 */
export function nextStep(stages: readonly RotationStage[]): RotationStep {
  const some = (...wanted: readonly RotationStage[]): boolean =>
    stages.some((stage) => wanted.includes(stage));
  if (some("trusted", "issuing")) return some("none") ? "trust" : "issue";
  return some("issued") ? "drop" : "trust";
}

const stagesBefore: Readonly<Record<RotationStep, readonly RotationStage[]>> = {
  trust: ["none"],
  issue: ["trusted", "issuing"],
  drop: ["issued"],
};

/** Whether a step is still to be done. */
export const needsStep = (stage: RotationStage, step: RotationStep): boolean =>
  stagesBefore[step].includes(stage);

/** What a rotation says of its stage. */
export const stageTexts: Readonly<Record<RotationStage, string>> = {
  none: "not being rotated",
  trusted: "the next one is trusted, and not used yet",
  issuing: "the change to the next one was begun",
  issued: "the new one is used, and the previous one still trusted",
};
