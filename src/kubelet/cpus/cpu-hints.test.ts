import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { nodesOf } from "../topology/numa-mask.ts";
import { cpuHints } from "./cpu-hints.ts";
import { parseCpuSet } from "./cpu-set.ts";
import { type PolicyCase, policyOf } from "./cpus.test-support.ts";

interface Case extends PolicyCase {
  readonly available: string;
  readonly reusable?: string;
  readonly count: number;
}

const dual = { machine: "dual" } as const;
/** 4 free CPUs on node 0, 6 on node 1. */
const most = "1-5,7-11";

each<[what: string, given: Case, expected: string]>([
  ["each node has enough", { ...dual, available: most, count: 2 }, "0! 1! 01"],
  ["one node has enough", { ...dual, available: most, count: 5 }, "1! 01"],
  ["both are needed", { ...dual, available: most, count: 7 }, "01!"],
  ["there are not enough", { ...dual, available: most, count: 11 }, ""],
  ["one node would be enough, were it free", { ...dual, available: "2,3", count: 2 }, "01"],
  ["init containers used one node", { ...dual, available: most, reusable: "0", count: 2 }, "0! 01"],
  [
    "nodes of a socket are as good as one",
    { machine: "fourNodes", available: "1-79", count: 4, options: ["align-by-socket"] },
    "0! 1! 2! 3! 01! 02 12 03 13 23! 012 013 023 123 0123",
  ],
  [
    "without the option they are not",
    { machine: "fourNodes", available: "1-79", count: 24 },
    "01! 02! 12! 03! 13! 23! 012 013 023 123 0123",
  ],
])("cpuHints: %s", (_, { available, reusable = "", count, ...given }, expected) => {
  const hints = cpuHints(policyOf(given), {
    ...{ available: parseCpuSet(available), reusable: parseCpuSet(reusable), count },
  });
  const texts = hints.map(
    ({ affinity = 0n, isPreferred }) => nodesOf(affinity).join("") + (isPreferred ? "!" : ""),
  );
  expect(texts.join(" ")).toBe(expected);
});
