import { expect, test } from "vitest";
import { checkFeatureGates } from "./check-feature-gates.ts";
import { featureGates } from "./feature-gates.ts";
import { featureGatesFlag } from "./feature-gates-flag.ts";

const check = (...texts: readonly string[]) =>
  checkFeatureGates(
    texts.reduce((before, text) => featureGatesFlag.read(text, before), featureGatesFlag.default),
  );

const cases: [texts: string[], problems: string[], changed?: string[]][] = [
  [["WatchList=true"], []],
  [["WatchList=false"], [], ["WatchList"]],
  [["kube:WatchList=0", "kube:HPAScaleToZero=false"], [], ["WatchList"]],
  [["HPAScaleToZero=t, WatchListClient=true,"], [], ["HPAScaleToZero"]],
  [["Nope=true"], ["unrecognized feature gate: Nope"]],
  [["constructor=true"], ["unrecognized feature gate: constructor"]],
  [["WatchList"], ["missing bool value for WatchList"]],
  [
    ["WatchList=maybe"],
    ['invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
  ],
  [
    ["SidecarContainers=false,MultiCIDRServiceAllocator=false"],
    [
      "cannot set feature gate SidecarContainers to false, feature is locked to true",
      "cannot set feature gate MultiCIDRServiceAllocator to false, feature is locked to true",
    ],
  ],
  [["SidecarContainers=true"], []],
  [["other:WatchList=true"], ["component not registered: other"]],
  [
    ["kube:WatchList=true,WatchList=true"],
    [
      "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
    ],
  ],
  [
    ["GangScheduling=true"],
    ["GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"],
    ["GangScheduling"],
  ],
  [["GangScheduling=true,GenericWorkload=true"], [], ["GangScheduling", "GenericWorkload"]],
  [["AllAlpha=true"], [], ["AllAlpha"]],
];
test.each(cases)("checkFeatureGates: %j", (texts, problems, changed = []) => {
  expect(check(...texts)).toMatchObject({ problems, changed });
});

test("featureGates: includes the gates of the server, of its libraries, and AllAlpha and AllBeta", () => {
  const names = ["InPlacePodVerticalScaling", "CRDValidationRatcheting", "AtomicFIFO", "AllBeta"];
  expect(names.filter((name) => !featureGates.has(name))).toEqual([]);
});
