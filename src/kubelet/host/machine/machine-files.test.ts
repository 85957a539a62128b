import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { machineCapacity } from "./machine-capacity.ts";
import { cpuCount, cpuTopology, hugePageBytes, memoryBytes, osImageOf } from "./machine-files.ts";
import { nodeIPProblem } from "./node-ip-problem.ts";

each<[string, unknown, unknown]>([
  ["processors", cpuCount("0-3,8\n"), 5],
  ["one processor", cpuCount("0\n"), 1],
  ["no processors", cpuCount(""), 0],
  ["memory", memoryBytes("MemTotal:  16 kB\nMemFree:  8 kB\n", "MemTotal"), 16384],
  ["missing memory", memoryBytes("MemTotal:  16 kB\n", "SwapTotal"), 0],
  [
    "a release",
    osImageOf('NAME=x\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n'),
    "Debian GNU/Linux 13 (trixie)",
  ],
  ["a release without a name", osImageOf("ID=x\n"), "Linux"],
  ["huge pages", hugePageBytes("hugepages-1048576kB"), 2 ** 30],
  ["another folder", hugePageBytes("transparent"), undefined],
])("machine files: %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});

each<[number, string]>([
  [0, "110"],
  [10, "20"],
  [1000, "110"],
])("machineCapacity: with %d pods per core there are %s", (podsPerCore, pods) => {
  const hugePages = [
    { pageBytes: 2 ** 21, count: 3 },
    { pageBytes: 2 ** 30, count: 0 },
  ];
  const info = { cpus: 2, memoryBytes: 2 ** 33 + 1024, hugePages };
  expect(machineCapacity(info, { maxPods: 110, podsPerCore }, 123_456_789)).toEqual({
    cpu: "2",
    memory: "8388609Ki",
    pods,
    "ephemeral-storage": "123456789",
    "hugepages-2Mi": "6Mi",
    "hugepages-1Gi": "0",
  });
});

each<[string, string | undefined]>([
  ["10.0.0.5", undefined],
  ["2001:db8::5", undefined],
  ["nowhere", "nodeIP must be a valid IP address"],
  ["127.0.0.1", "nodeIP can't be loopback address"],
  ["224.0.0.1", "nodeIP can't be a multicast address"],
  ["fe80::1", "nodeIP can't be a link-local unicast address"],
  ["::", "nodeIP can't be an all zeros address"],
  ["10.0.0.6", `node IP: "10.0.0.6" not found in the host's network interfaces`],
])("nodeIPProblem: %s", (address, problem) => {
  expect(nodeIPProblem(address, ["10.0.0.5", "2001:db8::5"])).toBe(problem);
});

test("cpuTopology: threads share cores, and cores share sockets", () => {
  const processor = (id: number, socket: number, core: number): string =>
    `processor\t: ${id}\nphysical id\t: ${socket}\ncore id\t\t: ${core}\nflags\t: a b\n`;
  const two = [processor(0, 0, 0), processor(1, 0, 0), processor(2, 0, 1), processor(3, 1, 0)];
  expect(cpuTopology(two.join("\n"))).toEqual({ cores: 3, sockets: 2 });
  const plain = ["processor\t: 0\nBogoMIPS\t: 50\n", "processor\t: 1\nBogoMIPS\t: 50\n"];
  expect(cpuTopology(plain.join("\n"))).toEqual({ cores: 2, sockets: 1 });
});
