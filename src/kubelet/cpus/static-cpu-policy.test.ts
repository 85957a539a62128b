import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { machines } from "../topology/machines.test-support.ts";
import { maskOf } from "../topology/numa-mask.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import { cpuTopology } from "./cpu-topology.ts";
import { type PolicyCase, policyOf } from "./cpus.test-support.ts";
import { chooseCpus, staticCpuPolicy } from "./static-cpu-policy.ts";

each<[machine: keyof typeof machines, count: number, reserved: string, cores: string]>([
  ["single", 1, "0", "0,4"],
  ["single", 2, "0,4", "0,4"],
  ["single", 3, "0-1,4", "0-1,4-5"],
  ["dual", 2, "0,6", "0,6"],
  ["dualNoThreads", 1, "0", "0"],
])("staticCpuPolicy: on %s, %d are reserved: %s", (machine, reservedCount, reserved, cores) => {
  const policy = staticCpuPolicy({
    topology: cpuTopology(machines[machine]),
    ...{ options: new Set(), reservedCpus: new Set(), reservedCount },
  });
  expect([formatCpuSet(policy.reserved), formatCpuSet(policy.reservedCores)]).toEqual([
    reserved,
    cores,
  ]);
});

each<[what: string, given: { readonly reserved?: string; readonly count: number }, why: string]>([
  [
    "more than there are",
    { count: 9 },
    "[cpumanager] unable to reserve the required amount of CPUs (size of  did not equal 9)",
  ],
  [
    "another number than is listed",
    { reserved: "0-1", count: 1 },
    "[cpumanager] unable to reserve the required amount of CPUs (size of 0-1 did not equal 1)",
  ],
  [
    "one that does not exist",
    { reserved: "8", count: 1 },
    "[cpumanager] unable to build the reserved physical CPUs from the reserved set: unknown CPU ID: 8",
  ],
])("staticCpuPolicy: cannot reserve %s", (_, { reserved = "", count }, why) => {
  const input = { topology: cpuTopology(machines.single), options: new Set<never>() };
  expect(() =>
    staticCpuPolicy({ ...input, reservedCpus: parseCpuSet(reserved), reservedCount: count }),
  ).toThrow(why);
});

interface Case extends PolicyCase {
  readonly shared: string;
  readonly reusable?: string;
  readonly count: number;
  readonly nodes?: readonly number[];
}

const chosen = ({ shared, reusable = "", count, nodes, ...given }: Case): string =>
  formatCpuSet(
    chooseCpus(policyOf(given), {
      ...{ shared: parseCpuSet(shared), reusable: parseCpuSet(reusable), count },
      affinity: nodes && maskOf(nodes),
    }),
  );

each<[what: string, given: Case, expected: string]>([
  ["beside the reserved one", { machine: "single", shared: "0-7", count: 1 }, "4"],
  ["a whole core", { machine: "single", shared: "0-7", count: 2 }, "1,5"],
  [
    "those of init containers",
    { machine: "single", shared: "0,4", reusable: "1,5", count: 2 },
    "1,5",
  ],
  ["near a node", { machine: "dual", shared: "0-11", count: 2, nodes: [1] }, "1,7"],
  [
    "as many as are near a node",
    { machine: "dual", shared: "0-11", count: 7, nodes: [1] },
    "1,3,5-7,9,11",
  ],
  [
    "in the sockets of a node",
    {
      ...{ machine: "fourNodes", shared: "0-20,40-59", count: 21, nodes: [1] },
      options: ["align-by-socket"],
    },
    "10-19,40,50-59",
  ],
  [
    "in a node without that option",
    { machine: "fourNodes", shared: "0-20,40-59", count: 21, nodes: [1] },
    "10-20,50-59",
  ],
  [
    "of two nodes",
    { machine: "dual", shared: "0-11", count: 6, options: ["distribute-cpus-across-numa"] },
    "1,3,5,7,9,11",
  ],
  [
    "of different cores",
    { machine: "single", shared: "0-7", count: 3, options: ["distribute-cpus-across-cores"] },
    "1-3",
  ],
  [
    "with one cache",
    {
      ...{ machine: "caches", shared: "0-15", count: 4 },
      options: ["prefer-align-cpus-by-uncorecache"],
    },
    "4-7",
  ],
  [
    "whole cores only",
    { machine: "single", shared: "0-7", count: 4, options: ["full-pcpus-only"] },
    "1-2,5-6",
  ],
])("chooseCpus: %s", (_, given, expected) => {
  expect(chosen(given)).toBe(expected);
});

each<[what: string, given: Case, why: string]>([
  [
    "a part of a core",
    { machine: "single", shared: "0-7", count: 3, options: ["full-pcpus-only"] },
    "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2",
  ],
  [
    "a core of which one CPU is reserved",
    { machine: "single", shared: "0-7", count: 8, options: ["full-pcpus-only"] },
    "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2",
  ],
  [
    "more than are free",
    { machine: "single", shared: "0-7", count: 8 },
    "not enough cpus available to satisfy request: requested=8, available=7",
  ],
])("chooseCpus: rejects %s", (_, given, why) => {
  expect(() => chosen(given)).toThrow(why);
});

test("chooseCpus: pods learn of cores by the reason SMTAlignmentError", () => {
  const given: Case = { machine: "single", shared: "0-7", count: 1, options: ["full-pcpus-only"] };
  expect(() => chosen(given)).toThrow(expect.objectContaining({ reason: "SMTAlignmentError" }));
});
