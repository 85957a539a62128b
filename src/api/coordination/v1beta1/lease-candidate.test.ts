import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, updated } from "../../kind.test-support.ts";
import { LeaseCandidate } from "./lease-candidate.ts";

const base = {
  leaseName: "l",
  binaryVersion: "1.36.0",
  emulationVersion: "1.35.0",
  strategy: "OldestEmulationVersion",
};

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["it names a lease and versions", base, []],
  [
    "an empty one lacks all but the emulated version",
    {},
    [
      "spec.leaseName: Required value",
      "spec.binaryVersion: Required value",
      "spec.strategy: Required value",
    ],
  ],
  [
    "the binary is not older than what it emulates",
    { ...base, binaryVersion: "1.36.0-rc.0", emulationVersion: "1.36.0" },
    [
      'spec.binaryVersion: Invalid value: "1.36.0-rc.0": must be greater than or equal to `emulationVersion`',
    ],
  ],
  [
    "versions have three numbers, and one that cannot be read counts as zero",
    { ...base, binaryVersion: "v1.36.0", emulationVersion: "1.35" },
    [
      'spec.emulationVersion: Invalid value: "1.35": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "v1.36.0": must be a valid semantic version',
      "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
    ],
  ],
  [
    "other strategies need no emulated version, but a domain",
    { leaseName: "l", binaryVersion: "1.36.0", strategy: "example.com/mine" },
    [],
  ],
  [
    "strategies without a domain are known",
    { ...base, strategy: "Mine" },
    [
      'spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"',
    ],
  ],
])("LeaseCandidate: %s", (_, spec, errors) => {
  expect(created(LeaseCandidate, { spec })).toEqual(errors);
});

test("LeaseCandidate: names are as lax as keys of a ConfigMap", () => {
  expect(created(LeaseCandidate, { metadata: { name: "A_b." }, spec: base })).toEqual([]);
});

test("LeaseCandidate: the lease stays", () => {
  expect(updated(LeaseCandidate, { spec: base }, { spec: { ...base, leaseName: "m" } })).toEqual([
    'spec.leaseName: Invalid value: "m": field is immutable',
  ]);
});

test("LeaseCandidate: columns show the lease and both versions", () => {
  expect(cellsOf(LeaseCandidate, { spec: base })).toEqual(["l", "1.36.0", "1.35.0"]);
});
