import { expect, test } from "vitest";
import type { Service } from "../../api/core/v1/service/service.ts";
import { rebuildPorts } from "./node-port-repair.ts";
import { PortBits } from "./port-bits.ts";

const range = { first: 30000, last: 30099 };
const stored = (...ports: number[]): PortBits => {
  const bits = new PortBits(range);
  for (const port of ports) bits.set(port, true);
  return bits;
};
const service = (name: string, ports: object[], more: object = {}): Service =>
  ({ metadata: { name }, spec: { type: "NodePort", ports, ...more } }) as unknown as Service;

test.each([
  ["no ports", [], [], [], []],
  ["a stored port", [service("a", [{ nodePort: 30001 }])], [30001], [30001], []],
  [
    "a port that is not stored",
    [service("a", [{ nodePort: 30001 }])],
    [],
    [30001],
    ["PortNotAllocated Port 30001 is not allocated; repairing"],
  ],
  [
    "one port of two protocols",
    [
      service("a", [
        { nodePort: 30001, protocol: "TCP" },
        { nodePort: 30001, protocol: "UDP" },
      ]),
    ],
    [30001],
    [30001],
    [],
  ],
  [
    "one port of two services",
    [service("a", [{ nodePort: 30001 }]), service("b", [{ nodePort: 30001, protocol: "UDP" }])],
    [30001],
    [30001],
    ["PortAlreadyAllocated Port 30001 was assigned to multiple services; please recreate service"],
  ],
  [
    "a port out of range",
    [service("a", [{ nodePort: 31000 }])],
    [],
    [],
    ["PortOutOfRange Port 31000 is not within the port range 30000-30099; please recreate service"],
  ],
  [
    "a port of health checks",
    [service("a", [{ nodePort: 30001, protocol: "UDP" }], { healthCheckNodePort: 30002 })],
    [30001, 30002],
    [30001, 30002],
    [],
  ],
])("rebuildPorts: services have %s", (_, services, before, after, reported) => {
  const rebuilt = rebuildPorts(services, stored(...before), { range, leaks: new Map() });
  expect([...rebuilt.bits.ports()]).toEqual(after);
  expect(rebuilt.findings.map(({ finding: { reason, note } }) => `${reason} ${note}`)).toEqual(
    reported,
  );
});

test("rebuildPorts: a port without a service is released in the third round", () => {
  let leaks: ReadonlyMap<number, number> = new Map();
  let bits = stored(30007);
  const found: boolean[] = [];
  for (let round = 1; round <= 4; round++) {
    ({ bits, leaks } = rebuildPorts([], bits, { range, leaks }));
    found.push(bits.has(30007));
  }
  expect(found).toEqual([true, true, false, false]);
});

test("rebuildPorts: a port that has a service again is not released", () => {
  const first = rebuildPorts([], stored(30007), { range, leaks: new Map() });
  const second = rebuildPorts([service("a", [{ nodePort: 30007 }])], first.bits, {
    range,
    leaks: first.leaks,
  });
  expect([second.bits.has(30007), second.leaks.size, second.findings]).toEqual([true, 0, []]);
});
