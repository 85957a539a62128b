import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { CpuAssignments, checkAssignments } from "./cpu-assignments.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";

interface Case {
  readonly shared: string;
  readonly assigned?: string;
  readonly isStrict?: boolean;
}

/** Checks assignments on a machine with the CPUs 0 to 7, of which 0 is reserved. */
function checked({ shared, assigned, isStrict = false }: Case): string {
  const assignments = new CpuAssignments();
  assignments.share(parseCpuSet(shared));
  if (assigned !== undefined) assignments.restore("p", "c", parseCpuSet(assigned));
  checkAssignments(assignments, { all: parseCpuSet("0-7"), reserved: parseCpuSet("0"), isStrict });
  return formatCpuSet(assignments.shared);
}

each<[what: string, given: Case, shared: string]>([
  ["new ones", { shared: "" }, "0-7"],
  ["new ones without the reserved CPUs", { shared: "", isStrict: true }, "1-7"],
  ["known ones", { shared: "0-3", assigned: "4-7" }, "0-3"],
  [
    "known ones without the reserved CPUs",
    { shared: "1-3", assigned: "4-7", isStrict: true },
    "1-3",
  ],
])("checkAssignments: accepts %s", (_, given, shared) => {
  expect(checked(given)).toBe(shared);
});

each<[given: Case, why: string]>([
  [{ shared: "", assigned: "1" }, "default cpuset cannot be empty"],
  [{ shared: "1-7" }, 'not all reserved cpus: "0" are present in defaultCpuSet: "1-7"'],
  [
    { shared: "0-7", isStrict: true },
    'some of strictly reserved cpus: "0" are present in defaultCpuSet: "0-7"',
  ],
  [
    { shared: "0-7", assigned: "3-4" },
    'pod: p, container: c cpuset: "3-4" overlaps with default cpuset "0-7"',
  ],
  [
    { shared: "0-4", assigned: "5" },
    'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-5"',
  ],
  [
    { shared: "0-9" },
    'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-9"',
  ],
])("checkAssignments: rejects %j", (given, why) => {
  expect(() => checked(given)).toThrow(why);
});

test("CpuAssignments: what init containers and others have both is returned once", () => {
  const assignments = new CpuAssignments();
  assignments.share(parseCpuSet("0-7"));
  assignments.assign("p", "init", parseCpuSet("1-2"));
  assignments.assign("p", "app", parseCpuSet("1"));
  expect([assignments.shared, assignments.exclusive].map(formatCpuSet)).toEqual(["0,3-7", "1-2"]);
  expect(formatCpuSet(assignments.usableBy("p", "other"))).toBe("0,3-7");
  assignments.release("p");
  expect(formatCpuSet(assignments.shared)).toBe("0-7");
});
