import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { At } from "../../../../schema/language/report.ts";
import { type ContainerPort, validateContainerPorts } from "./container-port.ts";

const errors = (...ports: readonly ContainerPort[]): readonly string[] => {
  const at = At.root();
  validateContainerPorts(ports, at.child("p"));
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const port = (more: object): ContainerPort => ({ containerPort: 80, protocol: "TCP", ...more });
const range = "must be between 1 and 65535, inclusive";

each<[rule: string, found: readonly string[], expected: readonly string[]]>([
  ["a number is enough", errors(port({})), []],
  [
    "names are unique",
    errors(port({ name: "web" }), port({ name: "web" })),
    ['p[1].name: Duplicate value: "web"'],
  ],
  [
    "a bad name is not reserved",
    errors(port({ name: "Web" }), port({ name: "Web" })),
    [0, 1].map(
      (i) =>
        `p[${i}].name: Invalid value: "Web": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
    ),
  ],
  [
    "numbers are in range; without a host port there is none to check",
    errors(port({ containerPort: 0, hostPort: 0 }), port({ containerPort: 70000, hostPort: -1 })),
    [
      "p[0].containerPort: Required value",
      `p[1].containerPort: Invalid value: 70000: ${range}`,
      `p[1].hostPort: Invalid value: -1: ${range}`,
    ],
  ],
  [
    "protocols are among the known",
    errors(port({ protocol: "tcp" }), port({ protocol: "" })),
    [
      'p[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
      "p[1].protocol: Required value",
    ],
  ],
])("validateContainerPorts: %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});
