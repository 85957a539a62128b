import { expect, test } from "vitest";
import { aPod } from "./framework.test-support.ts";
import { hostPortsOf, UsedPorts } from "./host-ports.ts";

const port = (number: number, ip = "0.0.0.0", protocol = "TCP") => ({ ip, protocol, port: number });

test.each([
  ["the same port", port(80), port(80), true],
  ["another protocol", port(80), port(80, "0.0.0.0", "UDP"), false],
  ["another address", port(80, "10.0.0.1"), port(80, "10.0.0.2"), false],
  ["all addresses, when one is taken", port(80, "10.0.0.1"), port(80), true],
  ["one address, when all are taken", port(80), port(80, "10.0.0.1"), true],
])("UsedPorts: %s", (_, used, wanted, expected) => {
  const ports = new UsedPorts();
  ports.add(used);
  expect(ports.conflictsWith(wanted)).toBe(expected);
  const copy = ports.clone();
  ports.remove(used);
  expect(ports.conflictsWith(wanted)).toBe(false);
  expect(copy.size).toBe(1);
});

test("hostPortsOf: ports of containers and sidecars, not of other init containers", () => {
  const ports = (hostPort: number) => ({ ports: [{ containerPort: 1, hostPort }] });
  const pod = aPod("p", {
    spec: {
      containers: [
        { name: "a", ...ports(1) },
        { name: "b", ports: [{ containerPort: 2 }] },
      ],
      initContainers: [
        { name: "i", ...ports(2) },
        { name: "s", restartPolicy: "Always", ...ports(3) },
      ],
    },
  });
  expect(hostPortsOf(pod).map(({ port }) => port)).toEqual([3, 1]);
});
