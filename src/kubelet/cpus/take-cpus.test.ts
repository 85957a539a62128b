import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { machines } from "../topology/machines.test-support.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import { cpuTopology } from "./cpu-topology.ts";
import { type CpuRequest, takeCpus } from "./take-cpus.ts";

type Machine = keyof typeof machines;
type Row = [machine: Machine, available: string, count: number, expected: string];

const taken = (machine: Machine, available: string, count: number, how: Partial<CpuRequest> = {}) =>
  formatCpuSet(
    takeCpus({
      ...{ topology: cpuTopology(machines[machine]), available: parseCpuSet(available), count },
      ...how,
    }),
  );

each<Row>([
  ["single", "0-7", 0, ""],
  ["single", "0-7", 1, "0"],
  ["single", "1,3,5-7", 1, "6"],
  ["single", "0-7", 2, "0,4"],
  ["single", "0-7", 3, "0-1,4"],
  ["single", "0-3,6", 2, "2,6"],
  ["single", "0-7", 8, "0-7"],
  ["dualNoThreads", "0-7", 2, "0-1"],
  ["dualNoThreads", "1-7", 4, "4-7"],
  ["dualNoThreads", "1-7", 3, "1-3"],
  ["dual", "0-11", 6, "0,2,4,6,8,10"],
  ["dual", "1-5,7-11", 1, "2"],
  ["dual", "0-11", 8, "0-2,4,6-8,10"],
  ["fourNodes", "0-79", 40, "0-19,40-59"],
  ["fourNodes", "0-79", 20, "0-9,40-49"],
  ["fourNodes", "10-39,50-79", 20, "10-19,50-59"],
  ["fourNodes", "0-79", 60, "0-29,40-69"],
  ["fourNodes", "1-39,41-79", 60, "10-39,50-79"],
  ["fourNodes", "0-79", 64, "0-31,40-71"],
  ["twoSocketsPerNode", "0-79", 40, "0-19,40-59"],
  ["twoSocketsPerNode", "1-39,41-79", 60, "10-39,50-79"],
  ["twoSocketsPerNode", "0-79", 20, "0-9,40-49"],
])("takeCpus: on %s, of %s %d are %s", (machine, available, count, expected) => {
  expect(taken(machine, available, count)).toBe(expected);
});

each<Row>([
  ["caches", "1-15", 10, "1-2,4-11"],
  ["dual", "1-5,7-11", 1, "2"],
  ["dualOneCache", "1-5,7-11", 1, "1"],
  ["cachesDual", "0-15", 4, "0-3"],
  ["cachesDual", "2-15", 6, "2-7"],
  ["cachesDual", "8-15", 4, "8-11"],
  ["cachesTwoNodes", "3,4-8,12", 2, "4-5"],
  ["cachesThreads", "2-3,10-11,4-7,12-15", 6, "4-6,12-14"],
  ["cachesThreads", "1-7,9-15", 10, "1,4-7,9,12-15"],
  ["cachesThreads", "2-7,10-15", 3, "2-3,10"],
])("takeCpus: with one cache, on %s, of %s %d are %s", (machine, available, count, expected) => {
  expect(taken(machine, available, count, { alignsCaches: true })).toBe(expected);
});

each<Row>([
  ["single", "0-7", 3, "0-2"],
  ["dual", "0-11", 2, "0,2"],
  ["dual", "0-11", 6, "0,2,4,6,8,10"],
  ["dual", "0-11", 8, "0-4,6,8,10"],
  ["dualNoThreads", "0-7", 2, "0-1"],
  ["fourNodes", "0-79", 8, "0-7"],
])("takeCpus: spread over cores, on %s, of %s %d are %s", (machine, available, count, expected) => {
  expect(taken(machine, available, count, { spreadsCores: true })).toBe(expected);
});

test("takeCpus: too few are an error", () => {
  expect(() => taken("single", "0,2,4,6", 5)).toThrow(
    "not enough cpus available to satisfy request: requested=5, available=4",
  );
});
