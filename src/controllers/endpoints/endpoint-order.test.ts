import { expect, test } from "vitest";
import type { EndpointPort } from "../../api/core/v1/service/endpoint-subset.ts";
import type { EndpointPort as SlicePort } from "../../api/discovery/v1/endpoint.ts";
import { sortedPorts, sortedSlicePorts } from "./endpoint-order.ts";

// As a cluster of v1.36 tells them.
const ports: Record<"a" | "b" | "c", EndpointPort> = {
  a: { name: "a", port: 8080, protocol: "TCP" },
  b: { name: "b", port: 53, protocol: "UDP" },
  c: { name: "c", port: 443, protocol: "TCP", appProtocol: "https" },
};

test("sortedPorts: ports of Endpoints are in the order of their hashes", () => {
  const { a, b, c } = ports;
  expect(sortedPorts([a, b, c])).toEqual([b, a, c]);
  expect(sortedPorts([c, a, b])).toEqual([b, a, c]);
});

test("sortedSlicePorts: the order differs in slices, because their members are pointers", () => {
  const [a, b, c] = Object.values(ports) as [SlicePort, SlicePort, SlicePort];
  expect(sortedSlicePorts([a, b, c])).toEqual([a, c, b]);
  expect(sortedSlicePorts([b, c, a])).toEqual([a, c, b]);
});
