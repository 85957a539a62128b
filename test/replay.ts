export { compareAnswer } from "../scripts/facts/replay/compare-answer.ts";
export type { RecordedAnswer, RecordedCase, Step } from "../scripts/facts/replay/recorded-case.ts";
export { createFixture, runCase } from "../scripts/facts/replay/run-case.ts";
