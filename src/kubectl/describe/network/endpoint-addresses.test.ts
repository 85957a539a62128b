import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { endpointAddresses } from "./endpoint-addresses.ts";

const slice = (addresses: readonly string[], port?: number): EndpointSlice =>
  ({
    ports: port === undefined ? [] : [{ name: "http", port }],
    endpoints: addresses.map((address) => ({
      addresses: [address.replace("!", "")],
      conditions: { ready: !address.startsWith("!") },
    })),
  }) as unknown as EndpointSlice;

each<{ name: string; slices: readonly EndpointSlice[]; text: string }>([
  { name: "no slices", slices: [], text: "<none>" },
  { name: "slices without endpoints", slices: [slice([], 80)], text: "" },
  { name: "IPv6", slices: [slice(["fd00::1"], 80)], text: "[fd00::1]:80" },
  { name: "no ports", slices: [slice(["10.0.0.1"])], text: "10.0.0.1" },
  { name: "not ready", slices: [slice(["!10.0.0.1", "10.0.0.2"], 80)], text: "10.0.0.2:80" },
  { name: "three", slices: [slice(["a", "b"], 1), slice(["c"], 2)], text: "a:1,b:1,c:2" },
  { name: "more", slices: [slice(["a", "b", "c", "d", "e"], 1)], text: "a:1,b:1,c:1 + 2 more..." },
  {
    name: "a fourth that is not ready",
    slices: [slice(["a", "b", "c", "!d"], 1)],
    text: "a:1,b:1,c:1 + 0 more...",
  },
])("endpointAddresses: $name", ({ slices, text }) => {
  expect(endpointAddresses(slices, "http")).toBe(text);
});
