import { expect, test } from "vitest";
import { stageOf } from "./check-feature-gates.ts";
import { featureGatesFlag } from "./feature-gates-flag.ts";
import { chooseFeatures, heededFeatures, ignoredFeatures } from "./ignored-features.ts";

const settings = (text: string) => featureGatesFlag.read(text, featureGatesFlag.default);

const betas = heededFeatures.filter((name) => stageOf(name) === "Beta");
const allBeta = `feature gate AllBeta has an effect on ${betas.join(", ")} alone`;

test.each<[string, readonly string[], readonly string[]]>([
  ["", [], []],
  ["MaxUnavailableStatefulSet=true", ["MaxUnavailableStatefulSet"], []],
  ["MaxUnavailableStatefulSet=false", [], []],
  ["WatchList=false", [], ["feature gate WatchList has no effect here"]],
  ["AllBeta=true", betas, [allBeta]],
  [
    "AllBeta=true,MaxUnavailableStatefulSet=false",
    betas.filter((name) => name !== "MaxUnavailableStatefulSet"),
    [allBeta],
  ],
])("chooseFeatures: %s", async (text, on, warnings) => {
  const problems: string[] = [];
  const { features, ...chosen } = await chooseFeatures(settings(text), problems, heededFeatures);
  expect([[...features], chosen.warnings, problems]).toEqual([on, warnings, []]);
});

test("ignoredFeatures: a program that heeds none says so of each", async () => {
  const problems: string[] = [];
  const text = "MaxUnavailableStatefulSet=true,Nope=true";
  expect(await ignoredFeatures(settings("MaxUnavailableStatefulSet=true"), problems)).toEqual([
    "feature gate MaxUnavailableStatefulSet has no effect here",
  ]);
  await ignoredFeatures(settings(text), problems);
  expect(problems).toEqual(["unrecognized feature gate: Nope"]);
});
