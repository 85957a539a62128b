import { expect, test } from "vitest";
import { controllerModules } from "./controller-modules.generated.ts";
import {
  canonicalName,
  controllerListProblems,
  knownControllers,
  upstreamControllers,
} from "./known-controllers.ts";

test("knownControllers: names are sorted and unique", () => {
  const names = upstreamControllers.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  const all = knownControllers.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(all).size).toBe(all.length);
});

test("knownControllers: implemented controllers are known, with upstream's names", () => {
  for (const { name, aliases = [], isOffByDefault = false } of controllerModules)
    expect(knownControllers).toContainEqual({ name, aliases, isOffByDefault });
});

test("knownControllers: three of upstream's are off by default", () => {
  expect(upstreamControllers.filter((one) => one.isOffByDefault).map(({ name }) => name)).toEqual([
    "bootstrap-signer-controller",
    "selinux-warning-controller",
    "token-cleaner-controller",
  ]);
});

test.each([
  [["*"], []],
  [["*", "bootstrapsigner", "tokencleaner"], []],
  [["-deployment", "replicaset-controller", "*"], []],
  [[], []],
  [["foo"], ['"foo" is not in the list of known controllers']],
  [
    ["*", "-foo", "--job", "-*"],
    [
      '"foo" is not in the list of known controllers',
      '"-job" is not in the list of known controllers',
      '"*" is not in the list of known controllers',
    ],
  ],
  [["Deployment"], ['"Deployment" is not in the list of known controllers']],
])("controllerListProblems: %j", (words, problems) => {
  expect(controllerListProblems(words)).toEqual(problems);
});

test("canonicalName: by the current name or an alias", () => {
  expect(canonicalName("podgc")).toBe("pod-garbage-collector-controller");
  expect(canonicalName("pod-garbage-collector-controller")).toBe(
    "pod-garbage-collector-controller",
  );
  expect(canonicalName("nope")).toBeUndefined();
});
