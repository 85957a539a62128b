import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { containerPort } from "./container-port.ts";

const container = {
  name: "c",
  ports: [
    { name: "web", containerPort: 8080 },
    { name: "", containerPort: 9090 },
  ],
} as never;

each<[port: number | string, expected: number | string]>([
  [80, 80],
  ["web", 8080],
  ["81", 81],
  ["missing", 'strconv.Atoi: parsing "missing": invalid syntax'],
  [0, "invalid port number: 0"],
  ["70000", "invalid port number: 70000"],
])("containerPort: %s", (port, expected) => {
  if (typeof expected === "number") expect(containerPort(port, container)).toBe(expected);
  else expect(() => containerPort(port, container)).toThrow(expected);
});
