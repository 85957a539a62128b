import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { machines } from "../topology/machines.test-support.ts";
import { cpuTopology } from "./cpu-topology.ts";
import { reservedCpuCount, withReservedCpus } from "./reserved-cpus.ts";

const topology = cpuTopology(machines.single);

test("withReservedCpus: replaces reserved amounts", () => {
  const given = { kubeReserved: { cpu: "3", memory: "1Gi" }, systemReserved: { cpu: "100m" } };
  const text = { reservedSystemCPUs: "0,4" };
  expect(withReservedCpus({ ...given, ...text }, topology)).toEqual({
    ...{ ...text, kubeReserved: { memory: "1Gi" }, systemReserved: { cpu: "2" } },
  });
  expect(withReservedCpus(given, topology)).toBe(given);
  expect(() => withReservedCpus({ reservedSystemCPUs: "6-8" }, topology)).toThrow(
    "reserved-cpus: 6-8 is not a subset of online-cpus: 0-7",
  );
});

each<[given: Parameters<typeof reservedCpuCount>[0], count: number]>([
  [{ kubeReserved: { cpu: "100m" } }, 1],
  [{ kubeReserved: { cpu: "500m" }, systemReserved: { cpu: "1500m" } }, 2],
  [{ kubeReserved: { cpu: "501m" }, systemReserved: { cpu: "1500m" } }, 3],
])("reservedCpuCount: %j is %d", (given, count) => {
  expect(reservedCpuCount(given)).toBe(count);
});

test("reservedCpuCount: none is an error", () => {
  expect(() => reservedCpuCount({ kubeReserved: { memory: "1Gi" } })).toThrow(
    "[cpumanager] unable to determine reserved CPU resources for static policy",
  );
});
