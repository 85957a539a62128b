import { expect } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { At } from "../../../../../schema/language/report.ts";
import { podOf } from "../pod.test-support.ts";
import { warnOfPorts } from "./pod-port-warnings.ts";

const second = "containers[0].ports[1]";
const first = "containers[0].ports[0]";

each<[string, readonly object[], readonly string[]]>([
  ["different ports are fine", [{ containerPort: 80 }, { containerPort: 81 }], []],
  ["different protocols too", [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }], []],
  [
    "the same twice is not",
    [{ containerPort: 80 }, { containerPort: 80 }],
    [`${second}: duplicate port definition with ${first}`],
  ],
  [
    "nor with and without a port of the node",
    [{ containerPort: 80 }, { containerPort: 80, hostPort: 8080 }],
    [`${second}: overlapping port definition with ${first}`],
  ],
  [
    "nor with and without an address of it",
    [
      { containerPort: 80, hostPort: 8080, hostIP: "192.0.2.1" },
      { containerPort: 80, hostPort: 8080 },
    ],
    [`${second}: dangerously ambiguous port definition with ${first}`],
  ],
  [
    "two addresses are fine",
    [
      { containerPort: 80, hostPort: 8080, hostIP: "192.0.2.1" },
      { containerPort: 80, hostPort: 8080, hostIP: "192.0.2.2" },
    ],
    [],
  ],
  [
    "an address alone does nothing",
    [{ name: "a", containerPort: 80, hostIP: "192.0.2.1" }],
    [
      `${first}: hostIP set without hostPort: {Name:a HostPort:0 ContainerPort:80 Protocol:TCP HostIP:192.0.2.1}`,
    ],
  ],
  [
    "names are used once",
    [
      { name: "a", containerPort: 80 },
      { name: "a", containerPort: 81 },
    ],
    [
      `${second}: duplicate port name "a" with ${first}, services and probes that select ports by name will use ${first}`,
    ],
  ],
])("warnOfPorts: %s", (_, ports, expected) => {
  const { spec } = podOf({ spec: { containers: [{ name: "c", image: "i", ports }] } });
  const told: string[] = [];
  warnOfPorts(spec, At.root(), told);
  expect(told).toEqual(expected);
});
