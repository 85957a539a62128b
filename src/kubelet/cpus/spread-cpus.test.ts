import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { machines } from "../topology/machines.test-support.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import { cpuTopology } from "./cpu-topology.ts";
import { spreadCpus } from "./spread-cpus.ts";

type Machine = keyof typeof machines;
interface Request {
  readonly available: string;
  readonly count: number;
  readonly groupSize?: number;
}

const spread = (machine: Machine, { available, count, groupSize = 1 }: Request): string =>
  formatCpuSet(
    spreadCpus({
      topology: cpuTopology(machines[machine]),
      available: parseCpuSet(available),
      ...{ count, groupSize },
    }),
  );

each<[what: string, machine: Machine, request: Request, expected: string]>([
  ["nothing", "dual", { available: "0-11", count: 0 }, ""],
  ["one node is enough", "dual", { available: "0-11", count: 6 }, "0,2,4,6,8,10"],
  ["one CPU keeps the balance", "dual", { available: "1-5,7-11", count: 1 }, "1"],
  ["no whole core", "dual", { available: "1-5,7-11", count: 1, groupSize: 2 }, "2"],
  ["two nodes", "dual", { available: "0-11", count: 8 }, "0-3,6-9"],
  [
    "four nodes",
    "fourNodes",
    { available: "0-79", count: 64 },
    "0-7,10-17,20-27,30-37,40-47,50-57,60-67,70-77",
  ],
  [
    "the first three of four nodes",
    "fourNodes",
    { available: "0-79", count: 48 },
    "0-7,10-17,20-27,40-47,50-57,60-67",
  ],
  [
    "three nodes that leave the most balance",
    "fourNodes",
    { available: "2-29,31-39,42-69,71-79", count: 48 },
    "10-17,20-27,31-38,50-57,60-67,71-78",
  ],
  [
    "what three nodes cannot give evenly, four do",
    "fourNodes",
    { available: "0-2,10-12,20-22,30-32,40-41,50-51,60-61,70-71", count: 16 },
    "0-1,10-11,20-21,30-31,40-41,50-51,60-61,70-71",
  ],
  [
    "13 of each of two nodes",
    "fourNodes",
    { available: "0-79", count: 26 },
    "0-6,10-16,40-45,50-55",
  ],
  [
    "whole cores",
    "fourNodes",
    { available: "0-79", count: 26, groupSize: 2 },
    "0-6,10-15,40-46,50-55",
  ],
  [
    "two nodes give one more",
    "fourNodes",
    { available: "0-79", count: 62 },
    "0-7,10-17,20-27,30-37,40-47,50-57,60-66,70-76",
  ],
  [
    "the nodes that have more give one more",
    "fourNodes",
    { available: "0-8,10-18,20-39,40-48,50-58,60-79", count: 62 },
    "0-7,10-17,20-27,30-37,40-46,50-56,60-67,70-77",
  ],
  [
    "or one core more",
    "fourNodes",
    { available: "0-8,10-18,20-39,40-48,50-58,60-79", count: 62, groupSize: 2 },
    "0-7,10-16,20-27,30-37,40-47,50-56,60-67,70-77",
  ],
  [
    "only nodes that can give more do",
    "fourNodes",
    { available: "0-3,10-13,20-23,30-36,40-43,50-53,60-63,70-76", count: 34 },
    "0-3,10-13,20-23,30-34,40-43,50-53,60-63,70-74",
  ],
  [
    "a busy large machine",
    "eightNodes",
    {
      available:
        "0,128,30,31,158,159,43-47,171-175,62,63,190,191,75-79,203-207,94,96,222,223,101-111,229-239,126,127,254,255",
      count: 28,
    },
    "43-47,75-79,96,101-105,171-174,203-206,229-232",
  ],
])("spreadCpus: %s", (_, machine, request, expected) => {
  expect(spread(machine, request)).toBe(expected);
});

test("spreadCpus: too few are an error", () => {
  expect(() => spread("single", { available: "0,2,4,6", count: 5 })).toThrow(
    "not enough cpus available to satisfy request: requested=5, available=4",
  );
});
