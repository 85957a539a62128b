import { expect, test } from "vitest";
import { factsFolder } from "../../../test/facts.ts";
import { readCases } from "../read-cases.ts";
import { mapStrings } from "../values.ts";
import type { KubeletScenario } from "./kubelet-scenario.ts";
import { maskText } from "./mask-text.ts";
import { distinctStatuses, withoutRuntimeWords } from "./outcome.ts";

const scenarios = readCases<KubeletScenario>(`${factsFolder}/kubelet`);

// What was recorded went through these functions, so that they change nothing of it.
test.each(scenarios)("$name: the recorded outcome is masked", ({ outcome }) => {
  expect(withoutRuntimeWords(outcome)).toEqual(outcome);
  const node = { name: "node-of-nobody", addresses: ["203.0.113.1"] };
  expect(mapStrings(outcome, (text) => maskText(text, node))).toEqual(outcome);
  for (const { statuses } of Object.values(outcome.pods))
    expect(distinctStatuses(statuses)).toEqual(statuses);
});
