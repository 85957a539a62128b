import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { Lease, type LeaseSpec } from "./lease.ts";

for (const recorded of recordedCases("leases"))
  test(`Lease: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Lease as never, recorded);
  });

const refused: readonly [spec: LeaseSpec, errors: readonly string[]][] = [
  [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, []],
  [
    { leaseDurationSeconds: -1, leaseTransitions: -1 },
    [
      "spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    { strategy: "Mine" },
    [
      'spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"',
    ],
  ],
  [
    { preferredHolder: "a" },
    ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"],
  ],
];

for (const [spec, errors] of refused)
  test(`Lease: ${JSON.stringify(spec)}`, () => {
    const at = At.root();
    const metadata = { name: "a", namespace: "n", finalizers: ["without-a-domain"] };
    Lease.validateCreate(
      { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec },
      at,
    );
    expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
  });
